-- Close a group for good, as an owner. What it had ends in this step; members' own lists follow.
--
-- ARGV     uid
-- ERRORS   NOGROUP, ONLYGROUPOWNERS
-- EMITS    group_closed, chat_members, chat_deleted, chat_pictures_removed

require_group_owner(owners, uid)
refuse_when_behind()
close_group()
return 1
