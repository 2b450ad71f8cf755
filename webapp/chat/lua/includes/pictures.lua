-- Find the pictures of messages, and have them removed.

-- Return the names of the pictures in stored messages.
local function picture_names(bodies)
  local names = {}
  for _, body in ipairs(bodies) do
    if body and string.find(body, '"pictures":', 1, true) then
      for _, picture in ipairs(cjson.decode(body).pictures or {}) do
        names[#names + 1] = picture.name
      end
    end
  end
  return names
end

-- Have the worker remove the files of pictures.
local function remove_pictures(cid, names)
  if names[1] then
    emit('chat_pictures_removed', 'chat', cid, 'names', table.concat(names, ' '))
  end
end
