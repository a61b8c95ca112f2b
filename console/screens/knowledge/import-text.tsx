// Pasted help text becomes answers and articles: how it is split is shown first, and can be changed.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type KnowledgeKind, knowledgeChanged, saveKnowledge } from '../../state/knowledge.ts'
import { useSession } from '../../state/session.tsx'
import { languageName } from '../../state/templates.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Checkbox, Select, TextArea, TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { PARTS_MAX, type Part, splitText } from './split-text.ts'
import { languageCodes, ownLanguage } from './words.ts'

type Row = Part & { key: string; isIncluded: boolean; problem: string | null }

const TEXT_MAX = 500_000

export const ImportText = () => {
  const { can } = useSession()
  const [text, setText] = useState('')
  const [language, setLanguage] = useState(ownLanguage)
  const [rows, setRows] = useState<Row[] | null>(null)
  return (
    <Page
      isNarrow
      title={t`Paste help text`}
      about={t`Questions with replies become answers, longer sections become articles. You check them before they’re saved.`}
      back={<BackLink to="/knowledge">{t`Knowledge`}</BackLink>}
    >
      {!can('manage_knowledge') ? (
        <EmptyState
          title={t`You don’t have permission`}
        >{t`Ask an admin for “Manage knowledge”.`}</EmptyState>
      ) : rows === null ? (
        <form
          className="stack stack--fields"
          onSubmit={(event) => {
            event.preventDefault()
            setRows(
              splitText(text).map((part) => ({
                ...part,
                key: crypto.randomUUID(),
                isIncluded: true,
                problem: null,
              })),
            )
          }}
        >
          <TextArea
            label={t`Text`}
            className="input--long"
            rows={16}
            autoFocus
            maxLength={TEXT_MAX}
            value={text}
            placeholder={t`Do you ship abroad?
Yes, to all of Europe.

How long does shipping take?
Two to four days.`}
            hint={t`From your website, a document or a spreadsheet.`}
            onChange={({ target }) => setText(target.value)}
          />
          <Select
            label={t`Language`}
            value={language}
            options={languageCodes(language).map((code) => ({ value: code, label: languageName(code) }))}
            onChange={({ target }) => setLanguage(target.value)}
          />
          <div>
            <Button type="submit" variant="primary" disabled={text.trim() === ''}>
              {t`Continue`}
            </Button>
          </div>
        </form>
      ) : (
        <Review rows={rows} language={language} onChange={setRows} onBack={() => setRows(null)} />
      )}
    </Page>
  )
}

const Review = ({
  rows,
  language,
  onChange,
  onBack,
}: {
  rows: Row[]
  language: string
  onChange: (rows: Row[]) => void
  onBack: () => void
}) => {
  const { api } = useSession()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [done, setDone] = useState<number | null>(null)
  const chosen = rows.filter(({ isIncluded }) => isIncluded)
  const set = (key: string, change: Partial<Row>): void =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...change } : row)))
  const save = async (state: 'draft' | 'published'): Promise<void> => {
    const left: Row[] = []
    for (const [at, row] of chosen.entries()) {
      setDone(at)
      const { key, kind, title, body } = row
      const phrasings = kind === 'answers' ? { phrasings: [title] } : {}
      try {
        await saveKnowledge(api, kind, null, { title, body, language, state, ...phrasings }, key)
      } catch (error) {
        left.push({ ...row, problem: error instanceof Error ? error.message : t`Couldn’t save it.` })
      }
    }
    await knowledgeChanged(client, api.workspaceId)
    const saved = chosen.length - left.length
    if (saved > 0) toast(state === 'draft' ? t`${saved} saved as drafts` : t`${saved} published`)
    if (left.length === 0) return navigate({ to: '/knowledge' })
    setDone(null)
    onChange(left)
  }
  return (
    <div className="stack">
      <p role="status">
        {rich`${rows.length === 1 ? t`1 part` : t`${rows.length} parts`} found`}
        {rows.length === PARTS_MAX && t`, which is the most at once. Paste the rest afterwards`}.
      </p>
      <ol className="stack">
        {rows.map((row, at) => (
          <PartRow key={row.key} row={row} number={at + 1} onChange={(change) => set(row.key, change)} />
        ))}
      </ol>
      <div className="row row--wrap">
        <Button
          variant="primary"
          isBusy={done !== null}
          disabled={chosen.length === 0}
          onClick={() => void save('published')}
        >
          {rich`Publish ${chosen.length}`}
        </Button>
        <Button disabled={chosen.length === 0 || done !== null} onClick={() => void save('draft')}>
          {t`Save as drafts`}
        </Button>
        <Button variant="ghost" disabled={done !== null} onClick={onBack}>
          {t`Back to the text`}
        </Button>
        <span role="status" className="text-soft">
          {done !== null && t`Saving ${done + 1} of ${chosen.length}…`}
        </span>
      </div>
    </div>
  )
}

const PartRow = ({
  row: { kind, title, body, isIncluded, problem },
  number,
  onChange,
}: {
  row: Row
  number: number
  onChange: (change: Partial<Row>) => void
}) => (
  <li className="section stack stack--fields">
    <div className="row row--wrap row--between">
      <Checkbox
        label={t`Part ${number}`}
        checked={isIncluded}
        onChange={({ target }) => onChange({ isIncluded: target.checked })}
      />
      <Select
        label={t`Kind of part ${number}`}
        isLabelHidden
        value={kind}
        options={[
          { value: 'answers', label: t`Answer` },
          { value: 'articles', label: t`Article` },
        ]}
        // The options are the kinds.
        onChange={({ target }) => onChange({ kind: target.value as KnowledgeKind })}
      />
    </div>
    {isIncluded && (
      <>
        <TextField
          label={kind === 'answers' ? t`Question` : t`Title`}
          value={title}
          maxLength={200}
          onChange={({ target }) => onChange({ title: target.value })}
        />
        <TextArea
          label={kind === 'answers' ? t`Reply` : t`Text`}
          className="input--long"
          rows={Math.min(8, body.split('\n').length + 1)}
          value={body}
          problem={problem ?? undefined}
          onChange={({ target }) => onChange({ body: target.value })}
        />
      </>
    )}
  </li>
)
