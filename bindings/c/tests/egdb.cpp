/* An engine's use of the endgame driver, as it would be with the driver itself.
 *
 *     egdb DIRECTORY < positions
 *
 * Reads lines of black, white and king bitboards in hexadecimal, a colour and an expected value, and
 * looks each up in both ways of calling.
 */

#include <cstdio>
#include <cstring>
#include <string>

#include "damabase_egdb.hpp"

using namespace egdb_interface;

static std::string messages;

static void msg_fn(char const *msg) { messages += msg; }

#define EXPECT(condition)                                                                \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);         \
            return 1;                                                                    \
        }                                                                                \
    } while (0)

int main(int argc, char **argv) {
    EXPECT(argc == 2);
    EGDB_TYPE type = EGDB_MTC_RUNLEN;
    int pieces = 99, side = 99, kings9 = 99, kings8 = 99;
    EXPECT(egdb_identify("/nowhere", &type, &pieces) != 0);
    EXPECT(type == EGDB_MTC_RUNLEN && pieces == 99);
    EXPECT(egdb_identify(argv[1], &type, &pieces) == 0);
    EXPECT(type == EGDB_WLD_TUN_V2 && pieces == 3);

    EXPECT(egdb_open("", 16, "/nowhere", msg_fn) == nullptr);
    EXPECT(messages.find("no tables of international in /nowhere") != std::string::npos);
    EXPECT(egdb_open("variant = chess", 16, argv[1], msg_fn) == nullptr);
    EXPECT(messages.find("unknown variant 'chess'") != std::string::npos);
    EXPECT(egdb_open(nullptr, 16, nullptr, nullptr) == nullptr);

    EGDB_DRIVER *small = egdb_open(" maxkings_1side_8pcs = 1 ; maxpieces = 2", 1, argv[1], nullptr);
    EXPECT(small != nullptr);
    EGDB_DRIVER *handle = egdb_open("map = 1", 16, (std::string("/nowhere;") + argv[1]).c_str(), msg_fn);
    EXPECT(handle != nullptr);
    EXPECT(egdb_get_pieces(handle, &pieces, &side, &kings9, &kings8) == 0);
    EXPECT(pieces == 3 && side == 2 && kings9 == 0 && kings8 == 0);

    EGDB_POSITION position;
    unsigned long long black, white, king;
    int color, expected, lines = 0, waited = 0, at_hand = 0;
    while (std::scanf("%llx %llx %llx %d %d", &black, &white, &king, &color, &expected) == 5) {
        position.black = black;
        position.white = white;
        position.king = king;
        int const before = handle->lookup(handle, &position, color, 1);
        EXPECT(before == expected || before == EGDB_NOT_IN_CACHE);
        (before == EGDB_NOT_IN_CACHE ? waited : at_hand)++;
        EXPECT(egdb_lookup(handle, &position, color, 0) == expected);
        bool const fits = damabase_detail::count(black | white) <= 2 || expected == EGDB_UNKNOWN;
        if (fits || expected != EGDB_SUBDB_UNAVAILABLE)
            EXPECT(egdb_lookup(small, &position, color, 0) == (fits ? expected : EGDB_SUBDB_UNAVAILABLE));
        lines++;
    }
    EXPECT(waited > 0 && at_hand > waited);
    std::printf("%d\n", lines);
    EXPECT(handle->close(handle) == 0);
    EXPECT(egdb_close(small) == 0);
    EXPECT(egdb_close(nullptr) == 0);
    return 0;
}
