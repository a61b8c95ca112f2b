-- What is overdue is told to people, too. The table is a queue, which is nearly empty.
alter table notification_inputs drop constraint notification_inputs_kind_check;
alter table notification_inputs add constraint notification_inputs_kind_check
  check (kind in ('assigned', 'note', 'message', 'unassigned', 'overdue'));
