import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { DEFAULT_BASE_URLS, MODEL_KIND_LABELS, MODEL_KINDS, type ModelKind } from '../../../models/names.ts'
import type { ModelProvider, ProviderBody, ProviderSaved } from '../../state/ai.ts'
import type { ApiError } from '../../state/api.ts'
import { useApi } from '../../state/session.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Select, Switch, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { SecretField } from '../../ui/secret-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { useSettingsChanged } from './use-setting.ts'

type Draft = {
  isEnabled: boolean
  kind: ModelKind
  baseUrl: string
  model: string
  embeddingModel: string
  currency: string
  /** As typed, per million tokens. */
  input: string
  cached: string
  output: string
}

const MILLIONTHS = 1_000_000

const typed = (price: number | undefined): string => (price === undefined ? '' : String(price / MILLIONTHS))

const draftOf = (provider: ModelProvider | null): Draft => ({
  isEnabled: provider?.isEnabled ?? true,
  kind: provider?.kind ?? 'chat_completions',
  baseUrl: provider?.baseUrl ?? DEFAULT_BASE_URLS.chat_completions,
  model: provider?.model ?? '',
  embeddingModel: provider?.embeddingModel ?? '',
  currency: provider?.currency ?? 'USD',
  input: typed(provider?.prices?.input),
  cached: typed(provider?.prices?.cached),
  output: typed(provider?.prices?.output),
})

/** "2,50" is written in half of the world. */
const priceOf = (text: string): number => Math.round(Number(text.trim().replace(',', '.')) * MILLIONTHS)

const pricesOf = ({ input, cached, output }: Draft): ProviderBody['prices'] =>
  input.trim() === '' && output.trim() === ''
    ? null
    : {
        input: priceOf(input),
        cached: priceOf(cached.trim() === '' ? input : cached),
        output: priceOf(output),
      }

/** Undefined: the stored one stays. */
const keyIn = (values: Record<string, string>): string | null | undefined =>
  values['key:remove'] ? null : values.key?.trim() || undefined

const originOf = (text: string): string | undefined => URL.parse(text)?.origin

export const ModelForm = ({ provider }: { provider: ModelProvider | null }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const [draft, setDraft] = useState(() => draftOf(provider))
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  const save = useMutation<ProviderSaved, ApiError, ProviderBody>({
    mutationFn: (body) => api.put('/ai-provider', body),
    onSuccess: async (saved) => {
      setDraft(draftOf(saved.provider))
      await changed()
      toast(saved.isKeyDropped ? t`Saved. Enter the key for this address` : t`Saved`)
    },
  })
  const submit = (values: Record<string, string>): void => {
    const key = keyIn(values)
    const { isEnabled, kind, baseUrl, model, embeddingModel, currency } = draft
    save.mutate({
      ...{ isEnabled, kind, baseUrl, model, currency },
      embeddingModel: embeddingModel.trim() || null,
      prices: pricesOf(draft),
      ...(key !== undefined && { key }),
    })
  }
  /** The usual address follows the protocol, until one is typed. */
  const chooseKind = (kind: ModelKind): void => {
    const isUsual = Object.values(DEFAULT_BASE_URLS).includes(draft.baseUrl)
    set({ kind, ...(isUsual && { baseUrl: DEFAULT_BASE_URLS[kind] }) })
  }
  const losesKey =
    provider !== null && provider.key === 'stored' && originOf(draft.baseUrl) !== originOf(provider.baseUrl)
  return (
    <Form error={save.error} onSubmit={submit}>
      <Section>
        <div className="stack stack--fields">
          {provider && (
            <Switch
              label={t`Use this model`}
              hint={t`When off, the agent sends your answers word for word. The settings stay.`}
              checked={draft.isEnabled}
              onChange={({ target }) => set({ isEnabled: target.checked })}
            />
          )}
          <Select
            label={t`Type`}
            name="kind"
            value={draft.kind}
            options={MODEL_KINDS.map((value) => ({ value, label: MODEL_KIND_LABELS[value] }))}
            onChange={({ target }) => chooseKind(target.value as ModelKind)}
          />
          <TextField
            label={t`Address`}
            name="baseUrl"
            dir="ltr"
            spellCheck={false}
            value={draft.baseUrl}
            maxLength={500}
            hint={t`A server on your own network has to be listed in OUTBOUND_ALLOW by whoever runs Foyer.`}
            onChange={({ target }) => set({ baseUrl: target.value })}
          />
          <TextField
            label={t`Model`}
            name="model"
            dir="ltr"
            spellCheck={false}
            value={draft.model}
            maxLength={200}
            hint={t`The name that the provider gives it.`}
            onChange={({ target }) => set({ model: target.value })}
          />
          <SecretField
            key={provider?.updatedAt}
            label={t`API key`}
            name="key"
            isSet={provider?.key === 'stored'}
            isOptional
            maxLength={4_000}
            hint={t`Encrypted, and can’t be viewed. Leave it empty if the server needs none.`}
          />
          {losesKey && (
            <Banner tone="warn">
              {t`The stored key was entered for another address and will be removed. Enter the key for this one.`}
            </Banner>
          )}
        </div>
      </Section>
      <Disclosure title={t`Prices`} about={t`To show what the agent costs. Per million tokens.`}>
        <PriceFields draft={draft} onChange={set} />
      </Disclosure>
      <Disclosure
        title={t`Embeddings`}
        about={t`Also finds knowledge by its meaning, not only by its words.`}
      >
        <TextField
          label={t`Embedding model`}
          name="embeddingModel"
          dir="ltr"
          spellCheck={false}
          value={draft.embeddingModel}
          maxLength={200}
          placeholder={t`Optional`}
          onChange={({ target }) => set({ embeddingModel: target.value })}
        />
      </Disclosure>
      <div className="row">
        <Button type="submit" variant="primary" isBusy={save.isPending}>
          {provider ? t`Save` : t`Connect model`}
        </Button>
      </div>
    </Form>
  )
}

const PRICES = [
  { name: 'input', label: t`Input` },
  { name: 'cached', label: t`Cached input` },
  { name: 'output', label: t`Output` },
] as const

const PriceFields = ({ draft, onChange }: { draft: Draft; onChange: (change: Partial<Draft>) => void }) => (
  <div className="grid-2">
    <TextField
      label={t`Currency`}
      name="currency"
      dir="ltr"
      value={draft.currency}
      maxLength={3}
      onChange={({ target }) => onChange({ currency: target.value.toUpperCase() })}
    />
    {PRICES.map(({ name, label }) => (
      <TextField
        key={name}
        label={label}
        name={`prices.${name}`}
        dir="ltr"
        inputMode="decimal"
        value={draft[name]}
        placeholder={t`Optional`}
        onChange={({ target }) => onChange({ [name]: target.value })}
      />
    ))}
  </div>
)
