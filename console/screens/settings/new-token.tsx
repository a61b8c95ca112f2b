import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ChannelName } from '../../../channels/names.ts'
import { useApi } from '../../state/session.tsx'
import type { ApiToken, TokenScope } from '../../state/types.ts'
import { ChannelChoice } from '../../ui/channel-choice.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Checkbox, Select, TextArea, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/lazy-dialogs.ts'
import { ShownSecret } from '../../ui/shown-secret.tsx'
import { PRESETS, type Preset, SCOPE_LABELS, SCOPES } from './token-words.ts'
import { useSettingsChanged } from './use-setting.ts'

export type CreatedToken = { token: ApiToken; secret: string }

export const NewToken = ({ onClose }: { onClose: () => void }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const [preset, setPreset] = useState<Preset | 'custom'>('full')
  const [custom, setCustom] = useState<TokenScope[]>(PRESETS.read.scopes)
  const [channels, setChannels] = useState<ChannelName[]>([])
  const make = useMutation({
    mutationFn: ({ name = '', expiresAt = '', allowedAddresses = '' }: Record<string, string>) => {
      const addresses = allowedAddresses.split(/[\s,]+/).filter(Boolean)
      return api.post<CreatedToken>('/tokens', {
        name: name.trim(),
        scopes: preset === 'custom' ? custom : PRESETS[preset].scopes,
        channels: channels.length > 0 ? channels : null,
        // The whole day, where the admin is.
        expiresAt: expiresAt ? new Date(`${expiresAt}T23:59:59.999`).toISOString() : null,
        allowedAddresses: addresses.length > 0 ? addresses : null,
      })
    },
    onSuccess: () => changed(),
  })
  if (make.data) return <TokenSecret {...make.data} title="Your new token" onClose={onClose} />
  return (
    <FormDialog
      title="New API token"
      about="Access can’t be changed later."
      submitLabel="Create token"
      save={make}
      onSubmit={(fields) => make.mutate(fields)}
      onClose={onClose}
    >
      <TextField label="Name" name="name" hint="e.g. CRM sync" maxLength={100} autoFocus autoComplete="off" />
      <Select
        label="Access"
        value={preset}
        onChange={({ target }) => setPreset(target.value as Preset | 'custom')}
        options={[
          ...Object.entries(PRESETS).map(([value, { label }]) => ({ value, label })),
          { value: 'custom', label: 'Custom' },
        ]}
      />
      {preset === 'custom' && (
        <fieldset className="stack stack--tight">
          <legend className="field__label">Scopes</legend>
          {SCOPES.map((scope) => (
            <Checkbox
              key={scope}
              label={SCOPE_LABELS[scope]}
              checked={custom.includes(scope)}
              onChange={({ target }) =>
                setCustom(target.checked ? [...custom, scope] : custom.filter((other) => other !== scope))
              }
            />
          ))}
        </fieldset>
      )}
      <Disclosure title="Limits (optional)">
        <ChannelChoice
          hint="Hides other channels’ conversations and contacts. None selected: all channels."
          name="channels"
          chosen={channels}
          onChange={setChannels}
        />
        <TextField
          label="Expires after"
          name="expiresAt"
          type="date"
          hint="The last day it works. Leave empty for no expiry."
        />
        <TextArea
          label="Allowed addresses"
          name="allowedAddresses"
          rows={2}
          spellCheck={false}
          autoComplete="off"
          hint="IP addresses or networks, e.g. 203.0.113.0/24. Leave empty to allow all."
        />
      </Disclosure>
    </FormDialog>
  )
}

const TokenSecret = ({ secret, title, onClose }: CreatedToken & { title: string; onClose: () => void }) => (
  <ShownSecret title={title} label="Token" secret={secret} onClose={onClose}>
    <CopyField
      label="Try it"
      value={`curl -s -H 'Authorization: Bearer ${secret}' ${location.origin}/api/v1/me`}
    />
  </ShownSecret>
)

/** For how many hours an old secret goes on. */
export const OVERLAPS = [
  { value: '24', label: 'For 24 hours' },
  { value: '72', label: 'For 3 days' },
  { value: '168', label: 'For 7 days' },
  { value: '0', label: 'Not at all' },
]

export const RotateToken = ({ token, onClose }: { token: ApiToken; onClose: () => void }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const rotate = useMutation({
    mutationFn: (overlapHours: number) =>
      api.post<CreatedToken>(`/tokens/${token.id}/rotate`, { overlapHours }),
    onSuccess: () => changed(),
  })
  if (rotate.data) return <TokenSecret {...rotate.data} title="Your new secret" onClose={onClose} />
  return (
    <FormDialog
      title={`Rotate “${token.name}”`}
      about="Creates a new secret with the same access."
      submitLabel="Rotate token"
      save={rotate}
      onSubmit={({ overlap }) => rotate.mutate(Number(overlap))}
      onClose={onClose}
    >
      <Select
        label="Keep the old secret working"
        name="overlap"
        options={OVERLAPS}
        hint={token.previousSecretUntil ? 'The previous secret stops working immediately.' : undefined}
      />
    </FormDialog>
  )
}
