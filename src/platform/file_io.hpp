// SPDX-License-Identifier: Apache-2.0

// What files of the library have in common: errors that name them, reads and writes that are whole, whatever signals
// come.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace weir::platform {

// "PATH: cannot be written: WHY".
base::Status io_error(const std::string& path, int error);

// "a folder", "a device", "a pipe" or "a socket"; empty for a regular file, and where there is none.
std::string kind_of(const std::string& path);
// not_found when there is no such file, bad_input when it is a folder or may not be read: "PATH: cannot be read: WHY".
base::Status check_readable(const std::string& path);

// Null when a file can be put there: otherwise why not, an errno.
int why_not_writable(const std::string& path) noexcept;
// It exists, and is neither a regular file nor a folder: a pipe, a terminal.
bool is_irregular(const std::string& path) noexcept;
// It is a device that keeps nothing of what is written and is not the null device, which is asked to: a terminal,
// /dev/full.
bool is_unfit_device(const std::string& path) noexcept;
// The file that a symbolic link stands for; `path` itself where there is none.
std::string resolved(const std::string& path);
std::string folder_of(const std::string& path);
// A folder in which nothing can be made, as it has been removed: of a process that is still in it.
bool is_removed(const std::string& folder) noexcept;

// At a place of a file, or at the end of a pipe (kStream). 0, or an errno.
inline constexpr off_t kStream = -1;
int write_all(int fd, const char* data, std::size_t bytes, off_t at) noexcept;
// At a place of a file. 0, an errno, or kEndOfFile: it ends before.
inline constexpr int kEndOfFile = -1;
int read_all(int fd, void* to, std::size_t bytes, std::uint64_t at) noexcept;

// What signals interrupt is gone on with. 0, or an errno.
// So many bytes from there on can be written: EOPNOTSUPP or ENOSYS of a file system that does not promise that.
int reserve_space(int fd, std::uint64_t from, std::uint64_t bytes) noexcept;
// What was written is on the device: with the file's names and times, or its contents alone.
int sync(int fd) noexcept;
int sync_contents(int fd) noexcept;

// A file without a name in that folder; negative, and errno, when there can be none.
int open_nameless(const std::string& folder);

}  // namespace weir::platform
