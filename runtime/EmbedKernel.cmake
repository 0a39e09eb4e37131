# cmake -DINPUT=x.spv -DOUTPUT=x.inc -P EmbedKernel.cmake: a file's bytes as the initialisers of an array.
file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "${bytes}\n")
