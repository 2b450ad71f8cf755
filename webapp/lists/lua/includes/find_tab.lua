-- Return the entry of a list among the `tabs` of home; nil if it is not pinned.
local function find_tab(tabs, number)
  for _, tab in ipairs(redis.call('ZRANGE', tabs, 0, -1)) do
    if tab:match('^%d+') == number then return tab end
  end
end
