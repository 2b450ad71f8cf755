-- Remove the cached pages of some paths, and every lease on them: what is being rendered now was
-- read before, and will not be stored.
--
-- KEYS     cached_paths   zset: path -> unix ms at which its last page is gone
--          sizes          hash: path -> bytes; total
--          pages...       hashes: cached pages and leases of each path
-- ARGV     paths...       in the order of the pages
-- RETURNS  1
-- WRITES   cached_paths, sizes, pages
-- include pagecache/lua/includes/cached_paths.lua

for index, path in ipairs(paths) do
  redis.call('DEL', pages[index])
  remove_path(cached_paths, sizes, path)
end
return 1
