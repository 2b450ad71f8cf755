-- Queue a notice to a member who has a verified address.
--
-- ARGV     notice   as packed in `addresses.py`
-- RETURNS  1 if it is queued, else 0
-- WRITES   mails, mail_prefix

return queue_notice(notice)
