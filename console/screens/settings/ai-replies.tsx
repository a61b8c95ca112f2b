// Where and how the AI agent replies, and whom it hands over to.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { agentsQuery } from '../../state/agents.ts'
import type { ApiError } from '../../state/api.ts'
import { useApi } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import type { AiSettings, AiSettingsAnswer } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { Select, TextArea, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { AiBudget } from './ai-budget.tsx'
import { AiPrivacy } from './ai-privacy.tsx'
import { AiSpeaking } from './ai-speaking.tsx'
import { useSettingsChanged } from './use-setting.ts'

const textOrNull = (text: string | null): string | null => text?.trim() || null

export const AiReplies = ({ settings, spending }: Pick<AiSettingsAnswer, 'settings' | 'spending'>) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const [draft, setDraft] = useState(settings)
  const set = (change: Partial<AiSettings>) => setDraft((before) => ({ ...before, ...change }))
  const save = useMutation<unknown, ApiError, AiSettings>({
    mutationFn: ({ isStopped: _, ...given }) =>
      api.patch('/ai-settings', {
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
        </div>
      </Section>
      <AiSpeaking speaking={draft.speaking} onChange={(speaking) => set({ speaking })} />
      <Section title="When it hands over">
        <div className="stack stack--fields">
          <TextArea
            label="Message to the customer"
            name="expectation"
            rows={2}
            value={draft.expectation ?? ''}
            maxLength={500}
            placeholder="Someone from our team will reply here."
            hint="Optional. If it’s empty, customers also read when you’re back if you’re closed."
            onChange={({ target }) => set({ expectation: target.value })}
          />
          <HandOver value={draft.handOver} onChange={(handOver) => set({ handOver })} />
        </div>
      </Section>
      <AiBudget budget={draft.budget} spending={spending} onChange={(budget) => set({ budget })} />
      <AiPrivacy privacy={draft.privacy} onChange={(privacy) => set({ privacy })} />
      <div className="row">
        <Button type="submit" variant="primary" isBusy={save.isPending}>
          Save
        </Button>
      </div>
    </Form>
  )
}

type HandOverProps = {
  value: AiSettings['handOver']
  onChange: (value: AiSettings['handOver']) => void
}

const HandOver = ({ value, onChange }: HandOverProps) => {
  const api = useApi()
  const { data: agents } = useQuery(agentsQuery(api))
  const { data: tags } = useQuery(tagsQuery(api))
  const people = (agents?.agents ?? []).filter(({ role }) => role !== 'ai')
  return (
    <>
      <Select
        label="Assign to"
        name="handOver.agentId"
        value={value.agentId ?? ''}
        options={[
          { value: '', label: 'Nobody' },
          ...people.map(({ id, nickname }) => ({ value: id, label: nickname })),
        ]}
        onChange={({ target }) => onChange({ ...value, agentId: target.value || null })}
      />
      <Select
        label="Tag the customer"
        name="handOver.tagId"
        value={value.tagId ?? ''}
        options={[
          { value: '', label: 'No tag' },
          ...(tags?.tags ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={({ target }) => onChange({ ...value, tagId: target.value || null })}
      />
    </>
  )
}
