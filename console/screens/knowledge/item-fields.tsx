// The fields of an article or answer: its text, and for whom it is.
import { useQuery } from '@tanstack/react-query'
import { type ChangeEvent, lazy, Suspense } from 'react'
import type { KnowledgeKind } from '../../state/knowledge.ts'
import { useApi } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import { languageName } from '../../state/templates.ts'
import { ChannelChoice } from '../../ui/channel-choice.tsx'
import { CheckGroup, namedOptions } from '../../ui/check-group.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Checkbox, Select, TextArea, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { t } from '../../words/t.ts'
import { type ItemForm, phrasingsOf } from './item-form.ts'
import { languageCodes } from './words.ts'

const MarkdownPreview = lazy(() => import('./markdown-preview.tsx'))

type Fields = { form: ItemForm; onChange: (change: Partial<ItemForm>) => void }

/** What connects a control with its text in the form. */
const bound = (
  { form, onChange }: Fields,
  name: 'title' | 'body' | 'phrasings' | 'url' | 'language' | 'reviewBy',
) => ({
  name,
  value: form[name],
  onChange: ({ target }: ChangeEvent<{ value: string }>) => onChange({ [name]: target.value }),
})

export const TextFields = ({ kind, isNew, ...fields }: Fields & { kind: KnowledgeKind; isNew: boolean }) => (
  <Section>
    <div className="stack stack--fields">
      <TextField
        label={t`Title`}
        {...bound(fields, 'title')}
        maxLength={200}
        placeholder={kind === 'answers' ? t`e.g. Return deadline` : t`e.g. Returning an order`}
        autoFocus={isNew}
      />
      {kind === 'answers' ? <AnswerFields {...fields} /> : <ArticleFields {...fields} />}
      <SettingFields {...fields} />
    </div>
  </Section>
)

/** The language and the review date. */
export const SettingFields = (fields: Fields) => (
  <>
    <Select
      label={t`Language`}
      {...bound(fields, 'language')}
      options={languageCodes(fields.form.language).map((code) => ({
        value: code,
        label: languageName(code),
      }))}
    />
    <TextField
      label={t`Review date`}
      {...bound(fields, 'reviewBy')}
      type="date"
      hint={t`Optional. After this day it’s offered, but not given as the reply.`}
    />
  </>
)

const AnswerFields = (fields: Fields) => {
  const count = phrasingsOf(fields.form).length
  return (
    <>
      <TextArea
        label={t`Reply`}
        {...bound(fields, 'body')}
        className="input--long"
        rows={5}
        maxLength={4_000}
        hint={t`Without a model, sent to the customer word for word.`}
      />
      <TextArea
        label={t`How customers ask for it`}
        {...bound(fields, 'phrasings')}
        className="input--long"
        rows={6}
        placeholder={t`How long do I have to return something?
Can I send it back?`}
        hint={t`One per line. Ten or more make it easy to find (${count} so far).`}
      />
    </>
  )
}

const ArticleFields = (fields: Fields) => (
  <>
    <Tabs
      label={t`Write or preview`}
      tabs={[
        {
          id: 'write',
          label: t`Write`,
          content: (
            <TextArea
              label={t`Text`}
              {...bound(fields, 'body')}
              className="input--long"
              rows={16}
              maxLength={100_000}
              hint={t`Markdown. Headings split it into sections that are found one by one.`}
            />
          ),
        },
        {
          id: 'preview',
          label: t`Preview`,
          content: (
            <Suspense fallback={<Skeleton lines={6} />}>
              <MarkdownPreview text={fields.form.body} />
            </Suspense>
          ),
        },
      ]}
    />
    <TextField
      label={t`Link`}
      {...bound(fields, 'url')}
      maxLength={2_000}
      placeholder={t`https://`}
      hint={t`Optional. Where customers can read it.`}
    />
  </>
)

const isRestricted = ({ channels, countries, languages, tagIds, isInternal }: ItemForm): boolean =>
  isInternal || channels.length + tagIds.length > 0 || `${countries}${languages}`.trim() !== ''

/** Lists that are left empty don't restrict. */
export const AudienceFields = ({ form, onChange }: Fields) => {
  const tags = useQuery(tagsQuery(useApi())).data?.tags
  return (
    <Disclosure title={t`Who it’s for`} isOpen={isRestricted(form)}>
      <p className="text-soft text-small">
        {t`Everyone, unless you choose. Customers must match every list that isn’t empty.`}
      </p>
      <Checkbox
        label={t`Internal`}
        hint={t`Only for your team. The AI agent never uses it for customers.`}
        checked={form.isInternal}
        onChange={({ target }) => onChange({ isInternal: target.checked })}
      />
      <ChannelChoice chosen={form.channels} onChange={(channels) => onChange({ channels })} />
      <TextField
        label={t`Countries`}
        name="audience.countries"
        value={form.countries}
        placeholder={t`e.g. DE, AT`}
        hint={t`Two-letter codes, separated by commas.`}
        onChange={({ target }) => onChange({ countries: target.value })}
      />
      <TextField
        label={t`Customers’ languages`}
        name="audience.languages"
        value={form.languages}
        placeholder={t`e.g. en, de`}
        onChange={({ target }) => onChange({ languages: target.value })}
      />
      <CheckGroup
        label={t`Tags`}
        options={namedOptions(tags)}
        chosen={form.tagIds}
        onChange={(tagIds) => onChange({ tagIds })}
      />
    </Disclosure>
  )
}
