# leapfrog.py - the graph of HMC leapfrog steps, at any size.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: leapfrog.py OUT.json [--steps=32] [--parameters=8] [--observations=200] [--chains=0] [--density=regime|scales]
                   [--io=OUT.io.json]

The graph has the structure of the traced ones, test/e2e/graphs/workloads/leapfrog_k32.json and leapfrog_batch16.json
(which are this one with 32 steps, 8 parameters, 200 observations and no or 16 chains), and its densities the expressions
of traced gradients:

regime   the first 8 parameters are those of a mixture of three normal distributions, each parameter a scalar of its own,
         as in leapfrog_k32; with fewer the rest is 0. Parameters from the 9th on are the log scales of a second mixture,
         with a normal prior.
scales   all parameters are log scales of one mixture, as in scale_mixture_grad_*.json.

The inputs are q, p, inv_mass, obs, eps and the number of steps; the outputs, a row for each step, are positions, momenta,
gradients and log densities. --io writes inputs too, with the outputs that the interpreter gives: nxv-run is looked for
in PATH.
"""

import argparse
import math
import random
import tempfile

from graph_builder import Graph
from tools import Runner, Tensor, recorded, write_json

LOG_TAU_HALF = 0.9189385332046727  # log(2 pi) / 2
LOG_PI_HALF = 0.4515827052894548  # log(pi / 2)
SMALLEST_SCALE = 1e-8
LARGEST_LOGIT = 10
REGIME = 8


class Shapes:
    """How many parameters, observations and chains there are; no chains is not one chain: no tensor has the axis."""

    def __init__(self, parameters, observations, chains=0):
        self.parameters, self.observations = parameters, observations
        self.batch = [chains] if chains else []

    def one(self):
        """The shape of a number for each chain, as it meets the observations."""
        return self.batch + [1] if self.batch else []

    def all_parameters(self):
        return self.batch + [self.parameters]

    def all_observations(self):
        return self.batch + [self.observations]

    def axis(self):
        return len(self.batch)


class Density:
    """What the densities share: numbers of each chain, and pieces of the gradient at their place."""

    def __init__(self, graph, shapes, q, obs):
        self.graph, self.shapes, self.q, self.obs = graph, shapes, q, obs
        self.pieces = []
        self.shared = {}

    def number(self, value, type="f64"):
        return self.graph.constant(value, type)

    def slice_parameters(self, start, length):
        batch = self.shapes.batch
        return self.graph.slice(self.q, [0] * len(batch) + [start], batch + [length])

    def sum_observations(self, value):
        """A sum over the observations, as a number of each chain."""
        total = self.graph.sum(value, [self.shapes.axis()])
        return self.spread(total)

    def spread(self, total):
        if not self.shapes.batch:
            return total
        return self.graph.broadcast(total, self.shapes.one(), [0])

    def put(self, value, place):
        """One more summand of the gradient: zeros, with `value` from `place` on."""
        graph, batch = self.graph, self.shapes.batch
        zeros = graph.constant(0.0, "f32", self.shapes.all_parameters())
        if not value.shape:
            value = graph.broadcast(value, [1], [])
        config = {"config": [[0, 0, 0] for _ in value.shape]}
        padded = graph.node("pad", [value, self.number(0.0, "f32")], value.type, value.shape, config)
        starts = [self.number(0, "s32") for _ in batch] + [self.number(place, "s32")]
        self.pieces.append((place, graph.put_slice(zeros, padded, starts)))


class Component:
    """A normal distribution of the observations: normalised distances and densities."""

    def __init__(self, density, weight, scale, mean):
        op, number = density.graph.op, density.number
        self.weight, self.scale = weight, scale
        constant = number(-LOG_TAU_HALF) - op("log", scale)
        self.distance = op("divide", density.obs if mean is None else density.obs - mean, scale)
        two = number(2, "s32")
        squared = op("divide", op("pow", self.distance, two, type="f64"), two, type="f64")
        self.value = op("exp", constant - squared)
        self.weighted = weight * self.value


class Regime(Density):
    """A mixture of three normal distributions: (mean q0, scale exp q1), (mean q3, scale exp q4 / sqrt(2 exp q2)) and
    (mean 0, scale exp q5), with weights softmax(q6, q7, 0)."""

    def parameter(self, index):
        if index >= self.shapes.parameters:
            return self.graph.constant(0.0, "f64", self.shapes.one())
        piece = self.slice_parameters(index, 1)
        return piece if self.shapes.batch else self.graph.squeeze(piece, [0])

    def scale(self, index):
        """exp q, bounded from below: the parameter, its exponential, the scale."""
        q = self.parameter(index)
        raised = self.graph.op("exp", q)
        return q, raised, self.graph.op("max", raised, self.number(SMALLEST_SCALE))

    def logit(self, index):
        q = self.parameter(index)
        bounded = self.graph.op("min", q, self.number(LARGEST_LOGIT, "s32"), type="f64")
        return q, bounded, self.graph.op("exp", bounded)

    def build(self):
        op, number = self.graph.op, self.number
        self.mean1 = self.parameter(3)
        self.logit7, self.logit6 = self.logit(7), self.logit(6)
        self.total = number(1.0) + (self.logit7[2] + self.logit6[2])
        self.scale5 = self.scale(5)
        self.third = Component(self, op("divide", number(1, "s32"), self.total), self.scale5[2], None)
        self.scale1 = self.scale(1)
        self.mean0 = self.parameter(0)
        self.first = Component(self, op("divide", self.logit6[2], self.total), self.scale1[2], self.mean0)
        self.scale4 = self.scale(4)
        self.freedom = self.parameter(2)
        self.freedom_raised = op("exp", self.freedom)
        self.root = op("sqrt", number(2, "s32") * self.freedom_raised)
        self.second = Component(self, op("divide", self.logit7[2], self.total), self.scale4[2] / self.root, self.mean1)
        self.mixture = self.third.weighted + self.first.weighted + self.second.weighted

    # The gradient, as the reverse mode of Nx writes it.

    def gradient(self):
        graph, number, shapes = self.graph, self.number, self.shapes
        ones = graph.constant(1.0, "f64", shapes.all_observations())
        self.inverse = graph.op("divide", ones, self.mixture)
        second, first = self.second, self.first
        # What the mixture's density changes with each component's.
        second.share = self.inverse * second.weight * second.value
        second.pull = self.pull(second, second.share)
        self.put_some(3, lambda: self.normal_prior(self.mean1, 0.5) + self.mean_slope(second))
        second.slope = self.scale_slope(second)
        self.put_some(2, self.freedom_slope)
        self.put_some(4, lambda: self.scale_prior(self.scale4, 0.05) + self.bounded_slope(second.slope / self.root, self.scale4))
        first.share = self.inverse * first.weight * first.value
        first.pull = self.pull(first, first.share)
        self.put_some(0, lambda: self.normal_prior(self.mean0, 0.1) + self.mean_slope(first))
        self.put_some(1, lambda: self.scale_prior(self.scale1, 0.05) + self.bounded_slope(self.scale_slope(first), self.scale1))
        third = self.third
        third.share = self.inverse / self.total * third.value
        third.pull = self.pull(third, third.share)
        self.put_some(5, lambda: self.scale_prior(self.scale5, 0.1) + self.bounded_slope(self.scale_slope(third), self.scale5))
        if shapes.parameters > 6:
            self.logit_slopes()

    def put_some(self, place, slope):
        """Puts the slope along a parameter, unless there is no such parameter."""
        if place >= self.shapes.parameters:
            return
        value = slope()
        # Scale parameters come with the log Jacobian of exp.
        if place in (1, 2, 4, 5):
            value = self.graph.constant(1.0, "f64", self.shapes.one()) + value
        self.put(value, place)

    def pull(self, component, share):
        halved = self.graph.op("divide", -share, self.number(2, "s32"), type="f64")
        return halved * component.distance

    def mean_slope(self, component):
        return self.sum_observations(-(self.number(2.0) * component.pull / component.scale))

    def scale_slope(self, component):
        along = -(component.distance / component.scale) * component.pull
        distances = self.sum_observations(self.number(2.0) * along)
        constants = -self.sum_observations(component.share) / component.scale
        return distances + constants

    def bound_weight(self, raised, bounded, bound):
        """1, 1/2 or 0: how much of a slope passes max or min."""
        op, number = self.graph.op, self.number
        one, zero, two = number(1.0, "f32"), number(0.0, "f32"), number(2.0, "f32")
        passes = op("select", op("equal", raised, bounded), one, zero)
        return passes / op("select", op("equal", bound, bounded), two, one)

    def bounded_slope(self, slope, scale):
        _, raised, bounded = scale
        return slope * self.bound_weight(raised, bounded, self.number(SMALLEST_SCALE)) * raised

    def normal_prior(self, mean, deviation):
        number = self.number
        return number(-1.0) * self.normalised(mean, deviation) / number(deviation)

    # What the gradient and the log density share.

    def once(self, key, make):
        if key not in self.shared:
            self.shared[key] = make()
        return self.shared[key]

    def normalised(self, mean, deviation):
        return self.once(("normal", mean.id, deviation), lambda: mean / self.number(deviation))

    def cauchy(self, q, width=None):
        """exp q, the same by the width, and the denominator of the half-Cauchy density there."""

        def make():
            op, number = self.graph.op, self.number
            raised = op("exp", q)
            within = raised if width is None else raised / number(width)
            return raised, within, number(1, "s32") + op("pow", within, number(2, "s32"), type="f64")

        return self.once(("cauchy", q.id, width), make)

    def scale_prior(self, scale, width):
        """The slope of the half-Cauchy prior of a scale."""
        raised, within, denominator = self.cauchy(scale[0], width)
        number = self.number
        minus = self.graph.constant(-1.0, "f64", self.shapes.one())
        slope = number(2.0) * (minus / denominator * within)
        return slope / number(width) * raised

    def freedom_slope(self):
        number = self.number
        raised, _, denominator = self.cauchy(self.freedom)
        minus = self.graph.constant(-1.0, "f64", self.shapes.one())
        prior = number(2.0) * (raised * (minus / denominator * raised))
        scale = self.second.scale
        through = number(0.5) * (self.second.slope * -(scale / self.root)) / self.root
        return prior + number(2.0) * (self.freedom_raised * through)

    def logit_slopes(self):
        total = self.total
        shares, falls = {}, {}
        for name, component in (("first", self.first), ("second", self.second), ("third", self.third)):
            shares[name] = self.sum_observations(self.inverse * component.value)
            falls[name] = shares[name] * -(component.weight / total)
        common = falls["first"] + (falls["second"] + falls["third"])
        for index, logit, name in ((6, self.logit6, "first"), (7, self.logit7, "second")):
            if index >= self.shapes.parameters:
                continue
            q, bounded, raised = logit
            weight = self.bound_weight(q, bounded, self.number(LARGEST_LOGIT, "s32"))
            prior = self.number(-1.0) * q
            self.put(prior + (shares[name] / total + common) * raised * weight, index)

    # The log density

    def log_density(self):
        """A number for each chain: the shape of the batch."""
        graph = self.graph
        logs = graph.op("log", self.mixture)
        observed = graph.sum(logs, [1] if self.shapes.batch else None)
        priors = self.log_normal(self.normalised(self.mean0, 0.1), 1.3836465597893728)
        priors = priors + self.log_cauchy(self.scale1[0], 0.05, 2.544149568264536)
        priors = priors + self.log_cauchy(self.freedom, None, -LOG_PI_HALF)
        priors = priors + self.log_normal(self.normalised(self.mean1, 0.5), -0.22579135264472738)
        priors = priors + self.log_cauchy(self.scale4[0], 0.05, 2.544149568264536)
        priors = priors + self.log_cauchy(self.scale5[0], 0.1, 1.8510023877045907)
        priors = priors + self.log_normal(self.logit6[0], -LOG_TAU_HALF)
        priors = priors + self.log_normal(self.logit7[0], -LOG_TAU_HALF)
        if self.shapes.batch:
            priors = graph.squeeze(priors, [1])
        return observed + priors

    def log_normal(self, normalised, constant):
        op, two = self.graph.op, self.number(2, "s32")
        return self.number(constant) - op("divide", op("pow", normalised, two, type="f64"), two, type="f64")

    def log_cauchy(self, q, width, constant):
        return self.number(constant) - self.graph.op("log", self.cauchy(q, width)[2]) + q


class Scales(Density):
    """A mixture, of equal weights, of normal distributions with mean 0 and scales exp q: parameters from `first` on."""

    def __init__(self, graph, shapes, q, obs, first=0):
        super().__init__(graph, shapes, q, obs)
        self.first, self.count = first, shapes.parameters - first

    def build(self):
        graph, op, number, batch = self.graph, self.graph.op, self.number, self.shapes.batch
        self.axis = len(batch)
        self.logs = self.q if self.first == 0 else self.slice_parameters(self.first, self.count)
        self.raised = op("exp", self.logs)
        columns = batch + [self.count, 1]
        constant = number(-LOG_TAU_HALF - math.log(self.count)) - graph.reshape(op("log", self.raised), columns)
        row = graph.reshape(self.obs, batch + [1, self.shapes.observations])
        self.scale_values = op("exp", self.logs)
        self.scale = graph.reshape(self.scale_values, columns)
        self.distance = row / self.scale
        squared = self.distance * self.distance
        values = constant - op("divide", squared, number(2, "s32"), type="f64")
        self.largest = graph.reduce("reduce_max", values, [self.axis], keep=True)
        self.values = op("exp", values - self.largest)
        self.total = graph.sum(self.values, [self.axis])

    def gradient(self):
        graph, op, number, batch = self.graph, self.graph.op, self.number, self.shapes.batch
        whole = batch + [self.count, self.shapes.observations]
        along = -(self.distance / self.scale)
        ones = graph.constant(1.0, "f64", self.shapes.all_observations())
        inverse = op("divide", ones, self.total)
        kept = [axis for axis in range(len(whole)) if axis != self.axis]
        share = graph.broadcast(inverse, whole, kept) * self.values
        pull = op("divide", -share, number(2, "s32"), type="f64") * self.distance
        slope = self.sum_rows(number(2.0) * (along * pull))
        slope = graph.reshape(slope, batch + [self.count]) * self.scale_values
        constants = graph.reshape(-self.sum_rows(share), batch + [self.count])
        self.slope = slope + constants / self.raised * self.raised
        if self.first:
            self.put(number(-1.0) * self.logs + self.slope, self.first)

    def sum_rows(self, value):
        total = self.graph.sum(value, [self.axis + 1])
        kept = list(range(self.axis + 1))
        return self.graph.broadcast(total, self.shapes.batch + [self.count, 1], kept)

    def log_density(self):
        graph, number = self.graph, self.number
        logs = graph.op("log", self.total) + graph.squeeze(self.largest, [self.axis])
        observed = graph.sum(logs, [1] if self.shapes.batch else None)
        if not self.first:
            return observed
        two = number(2, "s32")
        squares = graph.op("divide", graph.op("pow", self.logs, two, type="f64"), two, type="f64")
        return observed - graph.sum(squares, [self.axis])


def build_density(graph, shapes, q, obs, name):
    """The parts of a density: functions for the gradient and, later, the log density."""
    if name == "scales":
        parts = [Scales(graph, shapes, q, obs)]
    else:
        parts = [Regime(graph, shapes, q, obs)]
        if shapes.parameters > REGIME:
            parts.append(Scales(graph, shapes, q, obs, REGIME))
    for part in parts:
        part.build()
    return parts


def gradient_of(parts):
    for part in parts:
        part.gradient()
    if isinstance(parts[0], Scales):
        return parts[0].slope
    # A trace adds them from the last place to the first, in the order in which it met them.
    order = [3, 2, 4, 0, 1, 5, 6, 7, 8]
    pieces = dict(piece for part in parts for piece in part.pieces)
    summands = [pieces[place] for place in order if place in pieces]
    total = summands.pop()
    while summands:
        total = summands.pop() + total
    return total


def log_density_of(parts):
    total = parts[0].log_density()
    for part in parts[1:]:
        total = total + part.log_density()
    return total


def store(graph, stack, row, step, batch):
    """The stack with a row, of the turn `step`, replaced; a row may be a number."""
    shape = list(stack.shape)
    shape[len(batch)] = 1
    starts = [graph.constant(0, "s32") for _ in shape]
    starts[len(batch)] = step
    return graph.put_slice(stack, graph.reshape(row, shape), starts)


def leapfrog(steps, parameters, observations, chains=0, density="regime", name=None):
    """The graph, as what json.dump takes."""
    shapes = Shapes(parameters, observations, chains)
    batch = shapes.batch
    graph = Graph(name or f"leapfrog_{density}_k{steps}_d{parameters}_n{observations}_b{chains}")
    q, p, inv_mass = (graph.input("f64", shapes.all_parameters(), name) for name in ("q", "p", "inv_mass"))
    obs = graph.input("f64", shapes.all_observations(), "obs")
    eps = graph.input("f64", [], "eps")
    count = graph.input("s32", [], "k")
    first = gradient_of(build_density(graph, shapes, q, obs, density))
    vectors = graph.constant(0.0, "f64", batch + [steps, parameters])
    numbers = graph.constant(0.0, "f64", batch + [steps])
    state = [graph.constant(0, "s32"), q, p, first, vectors, vectors, vectors, numbers, inv_mass, obs, eps, count]

    def body(step, q, p, slope, positions, momenta, slopes, densities, inv_mass, obs, eps, count):
        following = graph.constant(1, "s32") + step
        half = graph.constant(0.5, "f64")
        moved = p + half * (slope * eps)
        place = q + eps * inv_mass * moved
        parts = build_density(graph, shapes, place, obs, density)
        slope = gradient_of(parts)
        momentum = moved + half * (slope * eps)
        positions = store(graph, positions, place, step, batch)
        momenta = store(graph, momenta, momentum, step, batch)
        slopes = store(graph, slopes, slope, step, batch)
        densities = store(graph, densities, log_density_of(parts), step, batch)
        return [following, place, momentum, slope, positions, momenta, slopes, densities, inv_mass, obs, eps, count]

    last = graph.while_loop(state, lambda *state: graph.op("less", state[0], state[11]), body)
    return graph.finish(last[4:8])


def density_graph(parameters, observations, chains, density="regime"):
    """The density alone: from q and obs to log densities and gradients."""
    shapes = Shapes(parameters, observations, chains)
    graph = Graph("density")
    q = graph.input("f64", shapes.all_parameters(), "q")
    obs = graph.input("f64", shapes.all_observations(), "obs")
    parts = build_density(graph, shapes, q, obs, density)
    slope = gradient_of(parts)
    return graph.finish([log_density_of(parts), slope])


# Inputs

CENTRE = [0.001, -4.2, 0.1, -0.0005, -4.0, -4.4, 0.3, -0.2]
INVERSE_MASS = [4e-06, 0.03, 0.5, 4e-06, 0.03, 0.03, 0.4, 0.4]


def make_chain(chance, parameters, observations, density):
    """q, p, inv_mass and obs of a chain: near the mode, so that many steps stay comparable."""
    regime = 0 if density == "scales" else min(parameters, REGIME)
    # The scales that a chain with few parameters does not have are 1.
    spread = 0.016 if regime > 1 or density == "scales" else 1.0
    obs = [spread * chance.gauss(0, 1) for _ in range(observations)]
    more = 200 / max(observations, 50)
    inv_mass = [mass * more * chance.uniform(0.7, 1.3) for mass in INVERSE_MASS[:regime]]
    q = [centre + 0.1 * math.sqrt(mass) * chance.gauss(0, 1) for centre, mass in zip(CENTRE, inv_mass)]
    if regime and spread == 1.0:
        inv_mass = [mass * 1e4 for mass in inv_mass]
    rest = parameters - regime
    inv_mass += [0.5 * more * chance.uniform(0.7, 1.3) for _ in range(rest)]
    q += [math.log(spread) + 0.3 * chance.gauss(0, 1) for _ in range(rest)]
    p = [chance.gauss(0, 1) / math.sqrt(mass) for mass in inv_mass]
    return q, p, inv_mass, obs


def step_size(steps):
    """Many steps of a chaotic system are comparable only if they are short."""
    return 0.1 if steps < 1000 else 0.02


def make_inputs(steps, parameters, observations, chains=0, density="regime", seed=1):
    """The inputs as tensors, in order; a chain of a batch is what one of that seed alone would be."""
    drawn = [
        make_chain(random.Random(seed + chain), parameters, observations, density) for chain in range(max(chains, 1))
    ]
    flat = [[number for chain in drawn for number in chain[which]] for which in range(4)]
    shapes = Shapes(parameters, observations, chains)
    vector, data = shapes.all_parameters(), shapes.all_observations()
    tensors = [Tensor.of("f64", shape, numbers) for shape, numbers in zip((vector, vector, vector, data), flat)]
    return [*tensors, Tensor.of("f64", [], [step_size(steps)]), Tensor.of("s32", [], [steps])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--steps", type=int, default=32)
    parser.add_argument("--parameters", type=int, default=8)
    parser.add_argument("--observations", type=int, default=200)
    parser.add_argument("--chains", type=int, default=0)
    parser.add_argument("--density", choices=["regime", "scales"], default="regime")
    parser.add_argument("--io")
    chosen = parser.parse_args()
    size = (chosen.steps, chosen.parameters, chosen.observations, chosen.chains, chosen.density)
    graph = leapfrog(*size)
    write_json(graph, chosen.out)
    if chosen.io:
        inputs = make_inputs(*size)
        with tempfile.TemporaryDirectory() as folder:
            outputs = Runner(folder).interpret(graph, inputs)
        write_json(recorded(graph["name"], inputs, outputs, 1e-11), chosen.io)


if __name__ == "__main__":
    main()
