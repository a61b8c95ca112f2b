// What the chat box does when nobody is there, or the visitor has left: it asks for an email address, and replies are
// emailed.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../state/session.tsx'
import type { ChatBox, ChatBoxSettings } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox, Select, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import type { ChannelList } from './channels.tsx'
import { useSetting, useSettingsChanged } from './use-setting.ts'

export type Away = Pick<ChatBoxSettings, 'asksEmail' | 'askAfterMinutes' | 'emailAfterMinutes' | 'mailboxId'>

const MINUTES = { type: 'number', min: 1, max: 120 } as const

export const ChatAway = ({ channelId, settings }: { channelId: string; settings: ChatBoxSettings }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const { data } = useSetting<ChannelList>('channels', '/channels')
  const mailboxes = (data?.channels ?? []).filter(({ channel }) => channel === 'email')
  const [draft, setDraft] = useState<Away>(() => {
    const { asksEmail, askAfterMinutes, emailAfterMinutes, mailboxId } = settings
    return { asksEmail, askAfterMinutes, emailAfterMinutes, mailboxId }
  })
  const set = (change: Partial<Away>) => setDraft((before) => ({ ...before, ...change }))
  const save = useMutation({
    mutationFn: () => api.patch<{ chatBox: ChatBox }>(`/channels/${channelId}/chat-box`, draft),
    onSuccess: () => {
      void changed()
      toast(t`Saved`)
    },
  })
  const minutes = (name: 'askAfterMinutes' | 'emailAfterMinutes') => ({
    ...MINUTES,
    name,
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: Number(target.value) }),
  })
  return (
    <Section
      title={t`When nobody is there`}
      about={
        data && mailboxes.length === 0
          ? t`Visitors can leave an email address once a mailbox is connected: replies are sent from it.`
          : t`Visitors can leave an email address. Replies that they haven’t seen in the chat are emailed, and what they answer by email comes back into the conversation.`
      }
    >
      <Form error={save.error} onSubmit={() => save.mutate()}>
        <div className="stack stack--fields">
          <Checkbox
            label={t`Ask for an email address`}
            hint={t`Once in a conversation. Visitors can skip it.`}
            checked={draft.asksEmail}
            onChange={({ target }) => set({ asksEmail: target.checked })}
          />
          {draft.asksEmail && (
            <>
              <TextField
                label={t`Ask after (minutes)`}
                hint={t`If nobody has replied. Outside business hours, or if nobody is online, it asks at once.`}
                {...minutes('askAfterMinutes')}
              />
              <TextField
                label={t`Email replies after (minutes)`}
                hint={t`If the visitor hasn’t seen them. Emails link back to the page if it is one of the channel’s allowed sites.`}
                {...minutes('emailAfterMinutes')}
              />
              <Select
                label={t`Mailbox`}
                name="mailboxId"
                value={draft.mailboxId ?? ''}
                options={[
                  { value: '', label: t`The first one connected` },
                  ...mailboxes.map(({ id, address, name }) => ({ value: id, label: address ?? name })),
                ]}
                onChange={({ target }) => set({ mailboxId: target.value || null })}
              />
            </>
          )}
          <div className="row">
            <Button type="submit" variant="primary" isBusy={save.isPending}>
              {t`Save email settings`}
            </Button>
          </div>
        </div>
      </Form>
    </Section>
  )
}
