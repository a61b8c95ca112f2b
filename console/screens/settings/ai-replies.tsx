// Where and how the AI agent replies, and whom it hands over to.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { useApi } from '../../state/session.tsx'
import type { AiSettings, AiSettingsAnswer } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { AiBudget } from './ai-budget.tsx'
import { AiHandOver, textsOf, toTexts } from './ai-hand-over.tsx'
import { AiOnlyAssigned } from './ai-only-assigned.tsx'
import { AiPrivacy } from './ai-privacy.tsx'
import { AiSpeaking } from './ai-speaking.tsx'
import { useSettingsChanged } from './use-setting.ts'

const textOrNull = (text: string | null): string | null => text?.trim() || null

export const AiReplies = ({ settings, spending }: Pick<AiSettingsAnswer, 'settings' | 'spending'>) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const [draft, setDraft] = useState(settings)
  const [texts, setTexts] = useState(() => textsOf(settings.handOverTexts))
  const set = (change: Partial<AiSettings>) => setDraft((before) => ({ ...before, ...change }))
  const save = useMutation<unknown, ApiError, AiSettings>({
    mutationFn: ({ isStopped: _, ...given }) =>
      api.patch('/ai-settings', {
        ...given,
        name: textOrNull(given.name),
        expectation: textOrNull(given.expectation),
        handOverTexts: toTexts(texts),
      }),
    onSuccess: async () => {
      await changed()
      toast(t`Saved`)
    },
  })
  const nowNew = (channels: (keyof AiSettings['speaking'])[]): void =>
    setDraft(({ speaking, ...before }) => {
      const changed = channels.map((channel) => [channel, { ...speaking[channel], mode: 'new' as const }])
      return { ...before, speaking: { ...speaking, ...Object.fromEntries(changed) } }
    })
  return (
    <Form error={save.error} onSubmit={() => save.mutate(draft)}>
      <Section title={t`Replies`}>
        <div className="stack stack--fields">
          <TextField
            label={t`Name`}
            name="name"
            value={draft.name ?? ''}
            maxLength={60}
            placeholder={t`e.g. Juno`}
            hint={t`Optional. Its first message says that it’s an automatic assistant.`}
            onChange={({ target }) => set({ name: target.value })}
          />
        </div>
      </Section>
      {!settings.isStopped && <AiOnlyAssigned speaking={settings.speaking} onChanged={nowNew} />}
      <AiSpeaking speaking={draft.speaking} onChange={(speaking) => set({ speaking })} />
      <AiHandOver draft={draft} texts={texts} onTexts={setTexts} onChange={set} />
      <AiBudget budget={draft.budget} spending={spending} onChange={(budget) => set({ budget })} />
      <AiPrivacy privacy={draft.privacy} onChange={(privacy) => set({ privacy })} />
      <div className="row">
        <Button type="submit" variant="primary" isBusy={save.isPending}>
          {t`Save`}
        </Button>
      </div>
    </Form>
  )
}
