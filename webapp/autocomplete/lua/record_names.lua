-- Note a member's entries in the index of names.
--
-- KEYS     names   autocomplete.indexed_names(uid)
-- ARGV     record   '' if there are no entries
-- FENCED

store_field(names, uid, record)
return 1
