# Starts a command below as many shells as the first argument says.
n=$1; shift
if [ "$n" -gt 0 ]; then sh "$0" $((n-1)) "$@"; exit $?; fi
"$@"; exit $?
