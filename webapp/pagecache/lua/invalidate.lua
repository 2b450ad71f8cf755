-- Remove the cached pages of some paths, and every lease on them: pages in rendering now hold older
-- data, and will not be stored. A path without any is not listed, or forgotten as its pages ended.
--
-- KEYS     keys...   three for each path: the paths of its partition (zset: path -> unix ms at
--                    which its last page is gone), their sizes (hash: path -> bytes; total), and
--                    its cached pages and leases (hash)
-- ARGV     paths...

for index, path in ipairs(paths) do
  local first = 3 * index - 2
  if redis.call('DEL', keys[first + 2]) == 1 then
    remove_path(keys[first], keys[first + 1], path)
  end
end
return 1
