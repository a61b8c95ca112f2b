// The settings of a website or file. Its address isn't one of them: another address is another website.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { knowledgeChanged } from '../../state/knowledge.ts'
import { useApi } from '../../state/session.tsx'
import { changeSource, type SourceDetails, sourceQuery } from '../../state/sources.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { formOfSource, settingsOf } from './item-form.ts'
import { SourceForm, UpdatesField } from './source-form.tsx'

export const SourceSettings = () => {
  const api = useApi()
  const { sourceId } = useParams({ from: '/signed/knowledge/sources/$sourceId/settings' })
  const { data, error, refetch } = useQuery(sourceQuery(api, sourceId))
  if (data) return <Settings key={sourceId} {...data} />
  return (
    <Page isNarrow title={t`Settings`}>
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={8} label={t`Loading settings`} />
      )}
    </Page>
  )
}

const Settings = ({ source, settings }: SourceDetails) => {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [form, setForm] = useState(() => formOfSource(settings))
  const [updates, setUpdates] = useState(settings.updates)
  const page = { to: '/knowledge/sources/$sourceId', params: { sourceId: source.id } } as const
  const save = useMutation<SourceDetails, ApiError>({
    mutationFn: () =>
      changeSource(api, source.id, {
        name: form.title.trim(),
        updates,
        language: form.language,
        ...settingsOf(form),
      }),
    onSuccess: async () => {
      await knowledgeChanged(client, api.workspaceId)
      toast(t`Saved`)
      await navigate(page)
    },
  })
  return (
    <SourceForm
      title={t`Settings`}
      about={t`Its articles are updated too, unless someone has edited them.`}
      back={<BackLink {...page}>{source.name}</BackLink>}
      form={form}
      error={save.error}
      onChange={(change) => setForm((known) => ({ ...known, ...change }))}
      onSubmit={() => save.mutate()}
      actions={
        <>
          <Button type="submit" variant="primary" isBusy={save.isPending} disabled={form.title.trim() === ''}>
            {t`Save`}
          </Button>
          <ButtonLink {...page} variant="ghost">
            {t`Cancel`}
          </ButtonLink>
        </>
      }
    >
      <TextField
        label={t`Name`}
        name="name"
        value={form.title}
        maxLength={200}
        onChange={({ target }) => setForm((known) => ({ ...known, title: target.value }))}
      />
      {source.type !== 'file' && <UpdatesField value={updates} onChange={setUpdates} />}
    </SourceForm>
  )
}
