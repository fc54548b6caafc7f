/* The value of a position and of its moves.
 *
 *     cc -Iinclude examples/probe.c -o probe -L../../target/release -ldamabase
 *     LD_LIBRARY_PATH=../../target/release ./probe russian W:WK29,K30,K31:BK6 tables
 *
 * Several directories may be given. The exit code is the status of the call that failed.
 */

#include <stdio.h>

#include "damabase.h"

static const char *const WORDS[] = {"loss", "draw", "win"};

static int failed(damabase *tables, int status) {
    char text[1024];
    damabase_last_error(tables, text, sizeof text);
    fprintf(stderr, "error %d: %s\n", status, text);
    damabase_close(tables);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: %s VARIANT FEN DIRECTORY...\n", argv[0]);
        return DAMABASE_INPUT;
    }
    damabase *tables = damabase_new();
    for (int i = 3; i < argc; i++) {
        int status = damabase_open(tables, argv[1], argv[i], DAMABASE_MAP);
        if (status != DAMABASE_OK)
            return failed(tables, status);
    }

    damabase_position position;
    int status = damabase_read_fen(tables, argv[2], &position);
    if (status != DAMABASE_OK)
        return failed(tables, status);

    damabase_value value;
    status = damabase_probe(tables, &position, &value);
    if (status != DAMABASE_OK)
        return failed(tables, status);
    printf("%s dtw %d dtc %d\n", WORDS[value.wld + 1], value.dtw, value.dtc);

    damabase_move moves[128];
    size_t count;
    status = damabase_moves(tables, &position, moves, 128, &count);
    if (status != DAMABASE_OK)
        return failed(tables, status);
    for (size_t i = 0; i < count && i < 128; i++) {
        char fen[256];
        damabase_write_fen(tables, &moves[i].after, fen, sizeof fen);
        printf("%s %s dtw %d %s\n", moves[i].text, WORDS[moves[i].value.wld + 1],
               moves[i].value.dtw, fen);
    }
    damabase_close(tables);
    return DAMABASE_OK;
}
