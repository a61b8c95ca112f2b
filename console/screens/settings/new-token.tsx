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
import { t } from '../../words/t.ts'
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
  if (make.data) return <TokenSecret {...make.data} title={t`Your new token`} onClose={onClose} />
  return (
    <FormDialog
      title={t`New API token`}
      about={t`Access can’t be changed later.`}
      submitLabel={t`Create token`}
      save={make}
      onSubmit={(fields) => make.mutate(fields)}
      onClose={onClose}
    >
      <TextField
        label={t`Name`}
        name="name"
        hint={t`e.g. CRM sync`}
        maxLength={100}
        autoFocus
        autoComplete="off"
      />
      <Select
        label={t`Access`}
        value={preset}
        onChange={({ target }) => setPreset(target.value as Preset | 'custom')}
        options={[
          ...Object.entries(PRESETS).map(([value, { label }]) => ({ value, label })),
          { value: 'custom', label: t`Custom` },
        ]}
      />
      {preset === 'custom' && (
        <fieldset className="stack stack--tight">
          <legend className="field__label">{t`Scopes`}</legend>
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
      <Disclosure title={t`Limits (optional)`}>
        <ChannelChoice
          hint={t`Hides other channels’ conversations and contacts. None selected: all channels.`}
          name="channels"
          chosen={channels}
          onChange={setChannels}
        />
        <TextField
          label={t`Expires after`}
          name="expiresAt"
          type="date"
          hint={t`The last day it works. Leave empty for no expiry.`}
        />
        <TextArea
          label={t`Allowed addresses`}
          name="allowedAddresses"
          rows={2}
          spellCheck={false}
          autoComplete="off"
          hint={t`IP addresses or networks, e.g. 203.0.113.0/24. Leave empty to allow all.`}
        />
      </Disclosure>
    </FormDialog>
  )
}

const TokenSecret = ({ secret, title, onClose }: CreatedToken & { title: string; onClose: () => void }) => (
  <ShownSecret title={title} label={t`Token`} secret={secret} onClose={onClose}>
    <CopyField
      label={t`Try it`}
      value={`curl -s -H 'Authorization: Bearer ${secret}' ${location.origin}/api/v1/me`}
    />
  </ShownSecret>
)

/** For how many hours an old secret goes on. */
export const OVERLAPS = [
  { value: '24', label: t`For 24 hours` },
  { value: '72', label: t`For 3 days` },
  { value: '168', label: t`For 7 days` },
  { value: '0', label: t`Not at all` },
]

export const RotateToken = ({ token, onClose }: { token: ApiToken; onClose: () => void }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const rotate = useMutation({
    mutationFn: (overlapHours: number) =>
      api.post<CreatedToken>(`/tokens/${token.id}/rotate`, { overlapHours }),
    onSuccess: () => changed(),
  })
  if (rotate.data) return <TokenSecret {...rotate.data} title={t`Your new secret`} onClose={onClose} />
  return (
    <FormDialog
      title={t`Rotate “${token.name}”`}
      about={t`Creates a new secret with the same access.`}
      submitLabel={t`Rotate token`}
      save={rotate}
      onSubmit={({ overlap }) => rotate.mutate(Number(overlap))}
      onClose={onClose}
    >
      <Select
        label={t`Keep the old secret working`}
        name="overlap"
        options={OVERLAPS}
        hint={token.previousSecretUntil ? t`The previous secret stops working immediately.` : undefined}
      />
    </FormDialog>
  )
}
