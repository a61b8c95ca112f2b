// A page or a sitemap, to be read into articles.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { knowledgeChanged } from '../../state/knowledge.ts'
import { useApi } from '../../state/session.tsx'
import { addWebsite, type Source } from '../../state/sources.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { t } from '../../words/t.ts'
import { emptyForm, settingsOf } from './item-form.ts'
import { SourceForm, UpdatesField } from './source-form.tsx'

export const AddWebsite = () => {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [form, setForm] = useState(emptyForm)
  const [type, setType] = useState<'page' | 'sitemap'>('page')
  const [updates, setUpdates] = useState<'review' | 'publish'>('review')
  const add = useMutation<Source, ApiError>({
    mutationFn: () =>
      addWebsite(api, { type, url: form.url.trim(), updates, language: form.language, ...settingsOf(form) }),
    onSuccess: async ({ id }) => {
      await navigate({ to: '/knowledge/sources/$sourceId', params: { sourceId: id } })
      await knowledgeChanged(client, api.workspaceId)
    },
  })
  return (
    <SourceForm
      title={t`Add a website`}
      about={t`Its pages become articles. They’re read again every week.`}
      form={form}
      error={add.error}
      onChange={(change) => setForm((known) => ({ ...known, ...change }))}
      onSubmit={() => add.mutate()}
      actions={
        <>
          <Button type="submit" variant="primary" isBusy={add.isPending} disabled={form.url.trim() === ''}>
            {t`Add website`}
          </Button>
          <ButtonLink to="/knowledge" variant="ghost">
            {t`Cancel`}
          </ButtonLink>
        </>
      }
    >
      <Select
        label={t`Pages`}
        value={type}
        options={[
          { value: 'page', label: t`One page` },
          { value: 'sitemap', label: t`All pages of a sitemap` },
        ]}
        onChange={({ target }) => setType(target.value === 'sitemap' ? 'sitemap' : 'page')}
      />
      <TextField
        label={t`Address`}
        name="url"
        value={form.url}
        maxLength={2_000}
        autoFocus
        placeholder={
          type === 'page' ? t`https://www.example.com/help` : t`https://www.example.com/sitemap.xml`
        }
        hint={type === 'page' ? undefined : t`Up to 500 pages of the same site.`}
        onChange={({ target }) => setForm((known) => ({ ...known, url: target.value }))}
      />
      <UpdatesField value={updates} onChange={setUpdates} />
    </SourceForm>
  )
}
