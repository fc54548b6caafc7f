/* Opens, probes and closes a thousand times, and calls everything with null pointers.
 *
 *     cycles VARIANT FEN DIRECTORY NUMBER
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "damabase.h"

#define EXPECT(condition)                                                    \
    do {                                                                     \
        if (!(condition)) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

static void cycle(char **argv, uint32_t flags) {
    damabase *tables = damabase_new();
    damabase_position position;
    damabase_value value;
    damabase_move moves[4];
    size_t count;
    char text[8];
    EXPECT(damabase_probe(tables, &position, &value) == DAMABASE_INPUT);
    EXPECT(damabase_set_cache(tables, 1 << 20) == DAMABASE_OK);
    EXPECT(damabase_open(tables, argv[1], argv[3], flags) == DAMABASE_OK);
    EXPECT(damabase_open(tables, argv[1], "/nowhere", flags) == DAMABASE_OK);
    EXPECT(damabase_read_fen(tables, argv[2], &position) == DAMABASE_OK);
    EXPECT(damabase_probe(tables, &position, &value) == DAMABASE_OK);
    EXPECT(damabase_moves(tables, &position, moves, 4, &count) == DAMABASE_OK);
    EXPECT(count > 4);
    EXPECT(moves[0].value.wld == value.wld);
    EXPECT(damabase_moves(tables, &position, NULL, 0, &count) == DAMABASE_OK);

    /* A clone outlives its handle, and has its own error text. */
    damabase *clone = damabase_clone(tables);
    EXPECT(damabase_read_fen(tables, "W", &position) == DAMABASE_INPUT);
    EXPECT(damabase_last_error(tables, text, sizeof text) > 20);
    EXPECT(strcmp(text, "bad FEN") == 0);
    EXPECT(damabase_last_error(clone, NULL, 0) == 0);
    damabase_close(tables);
    int32_t wld = 7;
    EXPECT(damabase_probe_wld(clone, &position, &wld) == DAMABASE_OK);
    EXPECT(wld == value.wld);
    damabase_close(clone);
}

static void nulls(char **argv) {
    damabase *tables = damabase_new();
    damabase_position position;
    damabase_value value;
    damabase_move move;
    size_t count;
    int32_t wld, plies;
    EXPECT(damabase_open(NULL, argv[1], argv[3], 0) == DAMABASE_INPUT);
    EXPECT(damabase_open(tables, NULL, argv[3], 0) == DAMABASE_INPUT);
    EXPECT(damabase_open(tables, argv[1], NULL, 0) == DAMABASE_INPUT);
    EXPECT(damabase_open(tables, "chess", argv[3], 0) == DAMABASE_INPUT);
    EXPECT(damabase_open(tables, argv[1], argv[3], 64) == DAMABASE_INPUT);
    EXPECT(damabase_max_pieces(tables) == 0);
    EXPECT(damabase_spread(tables, 1) == 0);
    EXPECT(damabase_open(tables, argv[1], argv[3], 0) == DAMABASE_OK);
    EXPECT(damabase_open(tables, "english", argv[3], 0) == DAMABASE_INPUT);
    EXPECT(damabase_read_fen(tables, argv[2], &position) == DAMABASE_OK);
    EXPECT(damabase_read_fen(tables, NULL, &position) == DAMABASE_INPUT);
    EXPECT(damabase_read_fen(tables, argv[2], NULL) == DAMABASE_INPUT);
    EXPECT(damabase_read_fen(tables, "W:W\xff", &position) == DAMABASE_INPUT);
    EXPECT(damabase_write_fen(tables, NULL, NULL, 0) == DAMABASE_INPUT);
    EXPECT(damabase_write_fen(tables, &position, NULL, 0) == DAMABASE_OK);
    EXPECT(damabase_probe(NULL, &position, &value) == DAMABASE_INPUT);
    EXPECT(damabase_probe(tables, NULL, &value) == DAMABASE_INPUT);
    EXPECT(damabase_probe(tables, &position, NULL) == DAMABASE_INPUT);
    EXPECT(damabase_probe_wld(NULL, &position, &wld) == DAMABASE_INPUT);
    EXPECT(damabase_probe_wld(tables, &position, NULL) == DAMABASE_INPUT);
    EXPECT(damabase_probe_dtw(tables, NULL, &wld, &plies) == DAMABASE_INPUT);
    EXPECT(damabase_probe_dtw(tables, &position, NULL, NULL) == DAMABASE_OK);
    EXPECT(damabase_probe_dtc(tables, &position, &wld, NULL) == DAMABASE_OK);
    EXPECT(damabase_moves(tables, &position, NULL, 1, &count) == DAMABASE_INPUT);
    EXPECT(damabase_moves(tables, &position, &move, 1, NULL) == DAMABASE_INPUT);
    EXPECT(damabase_moves(NULL, &position, &move, 1, &count) == DAMABASE_INPUT);
    EXPECT(damabase_covers(tables, NULL) == 0);
    EXPECT(damabase_covers(tables, "QvK") == 0);
    EXPECT(damabase_covers(NULL, "KvK") == 0);
    EXPECT(damabase_tables(NULL) == 0);
    EXPECT(damabase_largest_slice(NULL, NULL, 0) == 0);
    EXPECT(damabase_last_error(NULL, NULL, 0) == 0);
    EXPECT(damabase_clone(NULL) == NULL);
    EXPECT(damabase_set_cache(NULL, 0) == DAMABASE_INPUT);
    position.side = 2;
    EXPECT(damabase_probe(tables, &position, &value) == DAMABASE_INPUT);
    EXPECT(strlen(damabase_version()) > 0);
    damabase_close(tables);
    damabase_close(NULL);
}

int main(int argc, char **argv) {
    EXPECT(argc == 5);
    int number = atoi(argv[4]);
    nulls(argv);
    for (int i = 0; i < number; i++)
        cycle(argv, i % 2 ? DAMABASE_MAP : 0);
    return 0;
}
