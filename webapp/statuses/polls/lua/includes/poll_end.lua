-- Purpose: when the poll of a status ends, unix ms, as text: `poll` is JSON [options, minutes, ...]. Include after core/store/lua/includes/ids.lua.
local function ends_at(id, poll) return id_text(created_ms(id) + cjson.decode(poll)[2] * 60000) end
