-- A partition's cached paths: `paths` (zset: path -> unix ms at which its last page is gone) and
-- `sizes` (hash: path -> bytes, and their `total`).

-- Remove a path from both.
local function remove_path(paths, sizes, path)
  local size = redis.call('HGET', sizes, path)
  if size then
    redis.call('HINCRBY', sizes, 'total', -size)
    redis.call('HDEL', sizes, path)
  end
  redis.call('ZREM', paths, path)
end

-- Add a path, or change its end and its size. Return the total of all sizes.
local function set_path(paths, sizes, path, end_ms, size)
  remove_path(paths, sizes, path)
  redis.call('ZADD', paths, end_ms, path)
  redis.call('HSET', sizes, path, size)
  return redis.call('HINCRBY', sizes, 'total', size)
end

-- Remove the paths that end first, with their pages, until `total` fits `limit`.
local function trim_paths(paths, sizes, page_prefix, total, limit)
  while total > limit do
    local first = redis.call('ZRANGE', paths, 0, 0)[1]
    if not first then -- a store that evicts keys has lost the rest of the list
      redis.call('DEL', sizes)
      return
    end
    redis.call('DEL', page_prefix .. first)
    remove_path(paths, sizes, first)
    total = tonumber(redis.call('HGET', sizes, 'total'))
  end
end
