# Sourced by scripts that run Python: environments with packages from PyPI, kept for the next time
# in the user's cache folder. (pydraughts and py-draughts both install a module `draughts`, so they
# cannot share one.)

environments=${XDG_CACHE_HOME:-$HOME/.cache}/damabase/environments
python=${PYTHON:-python3}

# Prints the Python of an environment that holds the packages named in pip's way.
environment() {
    folder=$environments/$(echo "$*" | tr ' ' '+')
    if [ ! -e "$folder/complete" ]; then
        mkdir -p "$environments"
        "$python" -m venv --clear "$folder" >&2 || {
            echo "cannot make a Python environment in $folder (is python3-venv installed?)" >&2
            return 1
        }
        "$folder/bin/pip" install --quiet --disable-pip-version-check "$@" >&2
        touch "$folder/complete"
    fi
    echo "$folder/bin/python"
}

# Versions whose behaviour the tests know.
pydraughts=pydraughts==0.6.7
py_draughts=py-draughts==1.10.1
