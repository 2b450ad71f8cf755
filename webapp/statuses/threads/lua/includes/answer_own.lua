-- Make `field` a reply to the status `id` of its own `author`, which has the fields `parent`.
-- The path above it keeps its last `path_max` steps. If it is cut off, `root` is the first post.
local function answer_own(field, parent, id, author, path_max)
  local path = string.format('%016.0f.%s', tonumber(id), parent.author)
  if parent.ancestors then path = parent.ancestors .. '/' .. path end
  local _, steps = string.gsub(path, '%.', '')
  if steps > tonumber(path_max) then
    field.root = parent.root or string.match(path, '^0*(%d+)')
    path = string.match(path, '/(.*)')
  end
  field.reply_to_id, field.reply_to_uid, field.reply_to_login = id, parent.author, author.login
  field.ancestors = path
end
