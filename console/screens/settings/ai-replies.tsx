// Where and how the AI agent replies.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CHANNEL_NAMES, CHANNELS } from '../../../channels/names.ts'
import type { ApiError } from '../../state/api.ts'
import { useApi } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import type { AiSettings } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox, Select, TextArea, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { useSettingsChanged } from './use-setting.ts'

const HOURS: { value: AiSettings['hours']; label: string }[] = [
  { value: 'always', label: 'At any time' },
  { value: 'open', label: 'During business hours' },
  { value: 'closed', label: 'Outside business hours' },
]

const toggled = <T,>(all: readonly T[], one: T): T[] =>
  all.includes(one) ? all.filter((other) => other !== one) : [...all, one]

const textOrNull = (text: string | null): string | null => text?.trim() || null

export const AiReplies = ({ settings }: { settings: AiSettings }) => {
  const api = useApi()
  const changed = useSettingsChanged()
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
          <fieldset className="field">
            <legend className="field__label">Channels</legend>
            <div className="row row--wrap">
              {CHANNELS.map((name) => (
                <Checkbox
                  key={name}
                  label={CHANNEL_NAMES[name]}
                  checked={draft.audience.channels.includes(name)}
                  onChange={() => setAudience({ channels: toggled(draft.audience.channels, name) })}
                />
              ))}
            </div>
          </fieldset>
          <TagChoice tagIds={draft.audience.tagIds} onChange={(tagIds) => setAudience({ tagIds })} />
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

const TagChoice = ({ tagIds, onChange }: { tagIds: string[]; onChange: (tagIds: string[]) => void }) => {
  const { data } = useQuery(tagsQuery(useApi()))
  const tags = data?.tags ?? []
  if (tags.length === 0) return null
  return (
    <fieldset className="field">
      <legend className="field__label">Customers with one of these tags</legend>
      <div className="row row--wrap">
        {tags.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={<bdi>{name}</bdi>}
            checked={tagIds.includes(id)}
            onChange={() => onChange(toggled(tagIds, id))}
          />
        ))}
      </div>
    </fieldset>
  )
}
