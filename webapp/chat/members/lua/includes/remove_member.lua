-- Take a member out of a chat. With the last person it is deleted, unless it belongs to a group.
-- `context` is a table of all keys of the chat, and its `cid`; of one without a group also of the
-- key `suspended`.

-- End the invitations that a member has made.
local function end_invitations(invites, uid)
  for _, entry in ipairs(list_invites(invites)) do
    local _, _, creator = parse_invite(entry[2])
    if creator == uid then redis.call('HDEL', invites, entry[1]) end
  end
end

-- Remove a member, and their invitations. The last owner hands a chat over to its longest member; a
-- group decides who owns its chat.
local function remove_member(context, uid)
  redis.call('ZREM', context.members, uid)
  local was_owner = redis.call('SREM', context.owners, uid) == 1
  redis.call('HDEL', context.visible_from, uid)
  redis.call('ZREM', context.read_receipts, uid)
  redis.call('HDEL', context.sent, uid)
  redis.call('ZREM', context.fetch_positions, uid)
  end_invitations(context.invites, uid)
  local is_bound = redis.call('HEXISTS', context.chat, 'group') == 1
  local people = people_of(context.members, context.visible_from)
  if not people[1] and not is_bound then
    local bots = redis.call('ZRANGE', context.members, 0, -1)
    return delete_chat(context, table.concat({uid, unpack(bots)}, ' '))
  end
  if was_owner and not is_bound and not has_other_owner(context.owners, uid, context.suspended) then
    redis.call('SADD', context.owners, successor_of(people, context.suspended))
  end
  trim_fetched(context, context.read_receipts, context.fetch_positions)
  emit('chat_members', 'chat', context.cid, 'uids', uid, 'must_accept', '', 'left', 1)
  publish('c', context.cid)
end
