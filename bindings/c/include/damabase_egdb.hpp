/* Damabase under the call names of the widespread endgame driver of international draughts
 * (Kingsrow's egdb_intl), so that an engine written for that driver needs this header in place of
 * egdb_intl.h, the library in place of its objects, and to be compiled anew. Nothing of the driver
 * is in here but the names and numbers of its interface.
 *
 * What is better: a lookup is right for EVERY position, whoever is to move and captures or not. The
 * checks that the driver asks for ("is there a capture, also for the other side?") may be dropped,
 * and no harm is done where they stay. Positions where a side has no piece or no move are answered.
 *
 * What is otherwise:
 *   - directory holds tables as Damabase makes them, in DIRECTORY/international. Several directories
 *     are separated by ';' (":" would be part of a Windows path).
 *   - options: "maxpieces = N" as ever; "variant = NAME" for another game (square 1 is bit 0, a gap
 *     after every second row, as on 10x10); "map = 1" reads by mapping, see DAMABASE_MAP; other
 *     names are ignored.
 *   - cache_mb: 0 stands for the usual 64.
 *   - egdb_identify and egdb_get_pieces tell the number of pieces of the largest table. The type is
 *     EGDB_WLD_TUN_V2, which engines take for "win, draw or loss".
 *   - egdb_verify is not there: `damabase verify` does it.
 *
 * Needs C++11. Thread safety: egdb_lookup and egdb_get_pieces may be called by any number of threads
 * on one handle; egdb_close by one, when no other uses the handle. msg_fn may be called by any
 * thread that looks up.
 */

#ifndef DAMABASE_EGDB_HPP
#define DAMABASE_EGDB_HPP

#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include "damabase.h"

namespace egdb_interface {

typedef std::uint64_t EGDB_BITBOARD;

/* Square 1 is bit 0; the bits 10, 21, 32 and 43 are left out. king has the kings of both sides. */
struct EGDB_POSITION {
    EGDB_BITBOARD black;
    EGDB_BITBOARD white;
    EGDB_BITBOARD king;
};

enum EGDB_COLOR { EGDB_BLACK = 0, EGDB_WHITE = 1 };

enum WLD_VALUE {
    EGDB_SUBDB_UNAVAILABLE = -2, /* no table, or more pieces than maxpieces */
    EGDB_NOT_IN_CACHE = -1,      /* conditional lookup of what would have to be read */
    EGDB_UNKNOWN = 0,            /* a failure: a message was given, or no legal position */
    EGDB_WIN = 1,
    EGDB_LOSS = 2,
    EGDB_DRAW = 3,
    EGDB_DRAW_OR_LOSS = 4, /* never given */
    EGDB_WIN_OR_DRAW = 5   /* never given */
};

enum EGDB_TYPE {
    EGDB_WLD_RUNLEN = 0,
    EGDB_MTC_RUNLEN,
    EGDB_WLD_HUFFMAN,
    EGDB_WLD_TUN_V1,
    EGDB_WLD_TUN_V2
};

/* The handle. Engines call through its pointers or through the functions below. */
struct EGDB_DRIVER {
    int (*lookup)(EGDB_DRIVER *handle, EGDB_POSITION const *position, int color, int cl);
    int (*close)(EGDB_DRIVER *handle);
    int (*get_pieces)(EGDB_DRIVER const *handle, int *max_pieces, int *max_pieces_1side,
                      int *max_9pc_kings, int *max_8pc_kings_1side);
    damabase *tables;
    int max_pieces; /* lookups go up to so many */
    void (*msg_fn)(char const *msg);
};

namespace damabase_detail {

/* The value of a name in "a = 1; b = 2"; empty where it is not named. */
inline std::string option(char const *options, std::string const &name) {
    std::string const text = options ? options : "";
    auto trimmed = [](std::string const &part) {
        auto const first = part.find_first_not_of(" \t");
        auto const last = part.find_last_not_of(" \t");
        return first == std::string::npos ? std::string() : part.substr(first, last - first + 1);
    };
    for (std::string::size_type at = 0; at <= text.size();) {
        auto end = text.find(';', at);
        if (end == std::string::npos)
            end = text.size();
        std::string const part = text.substr(at, end - at);
        auto const equals = part.find('=');
        if (equals != std::string::npos && trimmed(part.substr(0, equals)) == name)
            return trimmed(part.substr(equals + 1));
        at = end + 1;
    }
    return std::string();
}

inline std::string error_text(damabase const *tables) {
    std::string text(damabase_last_error(tables, nullptr, 0) + 1, '\0');
    damabase_last_error(tables, &text[0], text.size());
    text.resize(text.size() - 1);
    return text;
}

inline void tell(void (*msg_fn)(char const *), std::string const &text) {
    if (msg_fn)
        msg_fn(("damabase: " + text + "\n").c_str());
}

/* Opens every directory of a list; null, with a message, where that fails. */
inline damabase *open(char const *options, int cache_mb, char const *directory,
                      void (*msg_fn)(char const *msg)) {
    std::string variant = option(options, "variant");
    if (variant.empty())
        variant = "international";
    std::uint32_t const flags = option(options, "map") == "1" ? DAMABASE_MAP : 0;
    damabase *tables = damabase_new();
    if (cache_mb > 0)
        damabase_set_cache(tables, static_cast<std::size_t>(cache_mb) << 20);
    std::string const list = directory ? directory : "";
    for (std::string::size_type at = 0; at < list.size();) {
        auto end = list.find(';', at);
        if (end == std::string::npos)
            end = list.size();
        std::string const part = list.substr(at, end - at);
        if (!part.empty() && damabase_open(tables, variant.c_str(), part.c_str(), flags) != DAMABASE_OK) {
            tell(msg_fn, error_text(tables));
            damabase_close(tables);
            return nullptr;
        }
        at = end + 1;
    }
    if (damabase_tables(tables) == 0) {
        tell(msg_fn, "no tables of " + variant + " in " + list);
        damabase_close(tables);
        return nullptr;
    }
    return tables;
}

inline int count(EGDB_BITBOARD set) {
    int number = 0;
    for (; set; set &= set - 1)
        number++;
    return number;
}

} // namespace damabase_detail

/* The value for the side to move, which color names.
 *
 * cl: where it is not 0, a value that would have to be read from a file is EGDB_NOT_IN_CACHE.
 */
inline int egdb_lookup(EGDB_DRIVER *handle, EGDB_POSITION const *position, int color, int cl) {
    EGDB_BITBOARD const kings = position->king;
    damabase_position given;
    given.white_men = position->white & ~kings;
    given.white_kings = position->white & kings;
    given.black_men = position->black & ~kings;
    given.black_kings = position->black & kings;
    given.side = color == EGDB_WHITE ? DAMABASE_WHITE : DAMABASE_BLACK;
    if (damabase_detail::count(position->white | position->black) > handle->max_pieces)
        return EGDB_SUBDB_UNAVAILABLE;
    std::int32_t wld = 0;
    int const status = cl ? damabase_probe_wld_if_cached(handle->tables, &given, &wld)
                          : damabase_probe_wld(handle->tables, &given, &wld);
    switch (status) {
    case DAMABASE_OK:
        return wld == DAMABASE_WIN ? EGDB_WIN : wld == DAMABASE_LOSS ? EGDB_LOSS : EGDB_DRAW;
    case DAMABASE_NOT_CACHED:
        return EGDB_NOT_IN_CACHE;
    case DAMABASE_MISSING:
        return EGDB_SUBDB_UNAVAILABLE;
    case DAMABASE_INPUT:
        return EGDB_UNKNOWN;
    default:
        damabase_detail::tell(handle->msg_fn, damabase_detail::error_text(handle->tables));
        return EGDB_UNKNOWN;
    }
}

/* Closes a handle and frees it. Gives 0. */
inline int egdb_close(EGDB_DRIVER *handle) {
    if (handle) {
        damabase_close(handle->tables);
        delete handle;
    }
    return 0;
}

inline int egdb_get_pieces(EGDB_DRIVER const *handle, int *max_pieces, int *max_pieces_1side,
                           int *max_9pc_kings, int *max_8pc_kings_1side) {
    int const pieces = handle->max_pieces;
    *max_pieces = pieces;
    *max_pieces_1side = pieces > 0 ? pieces - 1 : 0;
    *max_9pc_kings = pieces >= 9 ? 9 : 0;
    *max_8pc_kings_1side = pieces >= 8 ? 8 : 0;
    return 0;
}

/* Opens the tables in a directory; null, with a message, where there are none. */
inline EGDB_DRIVER *egdb_open(char const *options, int cache_mb, char const *directory,
                              void (*msg_fn)(char const *msg)) {
    damabase *tables = damabase_detail::open(options, cache_mb, directory, msg_fn);
    if (!tables)
        return nullptr;
    EGDB_DRIVER *handle = new (std::nothrow) EGDB_DRIVER;
    if (!handle) {
        damabase_close(tables);
        return nullptr;
    }
    handle->lookup = egdb_lookup;
    handle->close = egdb_close;
    handle->get_pieces = egdb_get_pieces;
    handle->tables = tables;
    handle->max_pieces = damabase_largest_slice(tables, nullptr, 0);
    std::string const limit = damabase_detail::option(options, "maxpieces");
    if (!limit.empty() && std::atoi(limit.c_str()) < handle->max_pieces)
        handle->max_pieces = std::atoi(limit.c_str());
    handle->msg_fn = msg_fn;
    damabase_detail::tell(msg_fn, std::to_string(damabase_tables(tables)) + " tables, up to " +
                                      std::to_string(handle->max_pieces) + " pieces");
    return handle;
}

/* Whether there are tables of international draughts in a directory: 0 if so, and then their type
 * and the largest number of pieces are told; else 1, and nothing is changed. */
inline int egdb_identify(char const *directory, EGDB_TYPE *egdb_type, int *max_pieces) {
    damabase *tables = damabase_detail::open("", 0, directory, nullptr);
    if (!tables)
        return 1;
    *egdb_type = EGDB_WLD_TUN_V2;
    *max_pieces = damabase_largest_slice(tables, nullptr, 0);
    damabase_close(tables);
    return 0;
}

} // namespace egdb_interface

#endif
