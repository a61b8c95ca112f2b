-- The id that another system has for a contact. A contact has one, or several after a merge.
alter table identities drop constraint identities_kind_check;
alter table identities add constraint identities_kind_check check (kind in (
  'email', 'phone', 'whatsapp_id', 'whatsapp_user_id', 'visitor', 'telegram', 'facebook', 'sms', 'external'));
