# code.awk - C as it compiles: comments and the contents of strings blanked, every line kept, and
# each with its file and line in front.
FNR == 1 { comment = 0 }
{
    line = $0
    out = ""
    while (line != "") {
        if (comment) {
            end = index(line, "*/")
            if (!end)
                break
            line = substr(line, end + 2)
            comment = 0
        } else if (match(line, /^[^"'\/]+/)) {
            out = out substr(line, 1, RLENGTH)
            line = substr(line, RLENGTH + 1)
        } else if (match(line, /^("([^"\\]|\\.)*"|'([^'\\]|\\.)*')/)) {
            out = out (substr(line, 1, 1) == "\"" ? "\"\"" : "' '")
            line = substr(line, RLENGTH + 1)
        } else if (substr(line, 1, 2) == "/*") {
            line = substr(line, 3)
            comment = 1
        } else if (substr(line, 1, 2) == "//") {
            line = ""
        } else {
            out = out substr(line, 1, 1)
            line = substr(line, 2)
        }
    }
    print FILENAME ":" FNR ":" out
}
