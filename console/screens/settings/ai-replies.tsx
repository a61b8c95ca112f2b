// Where and how the AI agent replies.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { useApi } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import type { AiSettings } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { ChannelChoice } from '../../ui/channel-choice.tsx'
import { CheckGroup, namedOptions } from '../../ui/check-group.tsx'
import { Select, TextArea, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { useSettingsChanged } from './use-setting.ts'

const HOURS: { value: AiSettings['hours']; label: string }[] = [
  { value: 'always', label: 'At any time' },
  { value: 'open', label: 'During business hours' },
  { value: 'closed', label: 'Outside business hours' },
]

const textOrNull = (text: string | null): string | null => text?.trim() || null

export const AiReplies = ({ settings }: { settings: AiSettings }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const tags = useQuery(tagsQuery(api)).data?.tags
  const [draft, setDraft] = useState(settings)
  const set = (change: Partial<AiSettings>) => setDraft({ ...draft, ...change })
  const setAudience = (change: Partial<AiSettings['audience']>) =>
    set({ audience: { ...draft.audience, ...change } })
  const save = useMutation<unknown, ApiError, AiSettings>({
    mutationFn: ({ isStopped: _, ...given }) =>
      api.put('/ai-settings', {
        ...given,
        name: textOrNull(given.name),
        expectation: textOrNull(given.expectation),
      }),
    onSuccess: async () => {
      await changed()
      toast('Saved')
    },
  })
  return (
    <Form error={save.error} onSubmit={() => save.mutate(draft)}>
      <Section title="Replies">
        <div className="stack stack--fields">
          <TextField
            label="Name"
            name="name"
            value={draft.name ?? ''}
            maxLength={60}
            placeholder="e.g. Juno"
            hint="Optional. Its first message says that it’s an automatic assistant."
            onChange={({ target }) => set({ name: target.value })}
          />
          <TextArea
            label="When it hands over"
            name="expectation"
            rows={2}
            value={draft.expectation ?? ''}
            maxLength={500}
            placeholder="Someone from our team will reply here."
            hint="Optional. If it’s empty, customers also read when you’re back if you’re closed."
            onChange={({ target }) => set({ expectation: target.value })}
          />
        </div>
      </Section>
      <Section
        title="Where it replies"
        about="Elsewhere, conversations that are assigned to it go to your team at once. Nothing selected means everyone."
      >
        <div className="stack stack--fields">
          <Select
            label="When"
            name="hours"
            value={draft.hours}
            options={HOURS}
            onChange={({ target }) => set({ hours: target.value as AiSettings['hours'] })}
          />
          <ChannelChoice
            chosen={draft.audience.channels}
            onChange={(channels) => setAudience({ channels })}
          />
          <CheckGroup
            label="Customers with one of these tags"
            options={namedOptions(tags)}
            chosen={draft.audience.tagIds}
            onChange={(tagIds) => setAudience({ tagIds })}
          />
        </div>
      </Section>
      <div className="row">
        <Button type="submit" variant="primary" isBusy={save.isPending}>
          Save
        </Button>
      </div>
    </Form>
  )
}
