// The chat box of a web channel: how it looks and what it says, with a preview, and signed-in visitors.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../state/session.tsx'
import type { ChatBox, ChatBoxSettings } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { ChatPreview } from '../../ui/chat-preview.tsx'
import { ColorField } from '../../ui/color-field.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Checkbox, Select, TextArea, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { type Away, ChatAway } from './chat-away.tsx'
import { ChatIdentity } from './chat-identity.tsx'
import { useSetting, useSettingsChanged } from './use-setting.ts'

type Answer = { chatBox: ChatBox }

const THEMES = [
  { value: 'auto', label: t`Same as the visitor’s system` },
  { value: 'light', label: t`Light` },
  { value: 'dark', label: t`Dark` },
]
const SIDES = [
  { value: 'auto', label: t`Automatic (right; left in Arabic and Hebrew)` },
  { value: 'right', label: t`:side:Right` },
  { value: 'left', label: t`:side:Left` },
]
const LANGUAGES = [
  { value: 'auto', label: t`Automatic (the page’s, then the browser’s)` },
  { value: 'ar', label: 'العربية' },
  { value: 'de', label: t`Deutsch` },
  { value: 'en', label: t`English` },
  { value: 'es', label: t`Español` },
  { value: 'fr', label: t`Français` },
  { value: 'he', label: 'עברית' },
  { value: 'it', label: t`Italiano` },
  { value: 'nl', label: t`Nederlands` },
  { value: 'pl', label: t`Polski` },
  { value: 'pt', label: t`Português` },
]
const DEFAULT_COLOR = '#2456e6'

const ChatBoxSettingsPage = ({ channelId }: { channelId: string }) => {
  const { data, error, refetch } = useSetting<Answer>(
    `chat-box ${channelId}`,
    `/channels/${channelId}/chat-box`,
  )
  if (error) return <LoadProblem error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={6} />
  return (
    <>
      <Look channelId={channelId} settings={data.chatBox.settings} />
      <ChatAway channelId={channelId} settings={data.chatBox.settings} />
      <ChatIdentity channelId={channelId} chatBox={data.chatBox} />
    </>
  )
}
export default ChatBoxSettingsPage

type Texts = 'title' | 'greeting' | 'launcherLabel' | 'color'
type OtherForms = 'requiresIdentity' | keyof Away
type Draft = Omit<ChatBoxSettings, Texts | OtherForms> & Record<Texts, string>

const draftOf = ({
  title,
  greeting,
  launcherLabel,
  color,
  requiresIdentity: _,
  asksEmail: _asks,
  askAfterMinutes: _askAfter,
  emailAfterMinutes: _emailAfter,
  mailboxId: _mailbox,
  ...rest
}: ChatBoxSettings): Draft => ({
  ...rest,
  title: title ?? '',
  greeting: greeting ?? '',
  launcherLabel: launcherLabel ?? '',
  color: color ?? DEFAULT_COLOR,
})

const changesOf = ({ title, greeting, launcherLabel, color, ...rest }: Draft) => ({
  ...rest,
  title: title.trim() || null,
  greeting: greeting.trim() || null,
  launcherLabel: launcherLabel.trim() || null,
  color: color || null,
})

const Look = ({ channelId, settings }: { channelId: string; settings: ChatBoxSettings }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const [draft, setDraft] = useState(() => draftOf(settings))
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }))
  const save = useMutation({
    mutationFn: () => api.patch<Answer>(`/channels/${channelId}/chat-box`, changesOf(draft)),
    onSuccess: () => {
      void changed()
      toast(t`Saved`)
    },
  })
  const text = (name: 'title' | 'greeting' | 'launcherLabel') => ({
    name,
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: target.value }),
  })
  const choice = (name: 'theme' | 'side' | 'language') => ({
    name,
    value: draft[name],
    // The options are the values of the setting.
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: target.value as never }),
  })
  const tick = (name: 'showsHours' | 'showsTeam' | 'hasSound' | 'acceptsFiles') => ({
    checked: draft[name],
    onChange: ({ target }: { target: { checked: boolean } }) => set({ [name]: target.checked }),
  })
  return (
    <Section title={t`Chat box`} about={t`The script tag on your site can override each of these.`}>
      <div className="stack stack--fields">
        <div>
          <Form error={save.error} onSubmit={() => save.mutate()}>
            <TextField
              label={t`Heading`}
              hint={t`e.g. your company’s name`}
              maxLength={80}
              {...text('title')}
            />
            <TextArea
              label={t`Greeting`}
              hint={t`Shown before the first message`}
              maxLength={500}
              rows={3}
              {...text('greeting')}
            />
            <TextField
              label={t`Button text`}
              hint={t`Optional, e.g. Questions?`}
              maxLength={30}
              {...text('launcherLabel')}
            />
            <ColorField
              label={t`Color`}
              name="color"
              value={draft.color}
              onPick={(color) => set({ color })}
            />
            <Select label={t`Theme`} options={THEMES} {...choice('theme')} />
            <Select label={t`Side`} options={SIDES} {...choice('side')} />
            <Select label={t`Language`} options={LANGUAGES} {...choice('language')} />
            <Checkbox
              label={t`Show when you’re back and how soon you usually reply`}
              hint={t`From the default business hours and recent conversations`}
              {...tick('showsHours')}
            />
            <Checkbox
              label={t`Show who’s on the team`}
              hint={t`Initials and display names of up to three people, visible to every visitor`}
              {...tick('showsTeam')}
            />
            <Checkbox
              label={t`Let visitors turn on a sound for replies`}
              hint={t`Off until a visitor turns it on`}
              {...tick('hasSound')}
            />
            <Checkbox
              label={t`Let visitors send files and images`}
              hint={t`Up to 10 MB each, within limits per visitor and hour`}
              {...tick('acceptsFiles')}
            />
            <div className="row">
              <Button type="submit" variant="primary" isBusy={save.isPending}>
                {t`Save chat box`}
              </Button>
            </div>
          </Form>
        </div>
        <ChatPreview attributes={attributesOf(draft)} />
      </div>
    </Section>
  )
}

const attributesOf = ({
  title,
  greeting,
  launcherLabel,
  color,
  theme,
  side,
  language,
  showsTeam,
  hasSound,
}: Draft) => ({
  title: title.trim() || null,
  greeting: greeting.trim() || null,
  'launcher-label': launcherLabel.trim() || null,
  color,
  theme,
  side: side === 'auto' ? null : side,
  language: language === 'auto' ? null : language,
  team: String(showsTeam),
  sound: String(hasSound),
})
