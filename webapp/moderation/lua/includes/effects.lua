-- What acts change, by their names.
-- include moderation/lua/includes/member_effects.lua
-- include moderation/lua/includes/post_effects.lua
-- include moderation/lua/includes/draft_effects.lua
-- include moderation/lua/includes/other_effects.lua

-- Do an act, or take it back. Return false if nothing would change. `data`: the act's
-- number and post, the status of that, the time.
local function apply(kind, on, data)
  local effect = member_effects[kind] or post_effects[kind] or draft_effects[kind]
    or other_effects[kind]
  return effect(on, data)
end
