// What the AI agent knows: saved answers and articles, and what it would say to a question.
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ClipboardPaste, FileUp, Globe, MessageCircleQuestion, Plus } from 'lucide-react'
import { useCommands } from '../../state/commands.ts'
import { KNOWLEDGE_KINDS, type KnowledgeFilter } from '../../state/knowledge.ts'
import { useSession } from '../../state/session.tsx'
import { languageName } from '../../state/templates.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { t } from '../../words/t.ts'
import { ItemSection } from './item-section.tsx'
import { SourceSection } from './source-section.tsx'
import { TryQuestion } from './try-question.tsx'
import { dayOf, languageCodes } from './words.ts'

const DAY_MS = 86_400_000
/** Also what is to be reviewed within this time. */
const REVIEW_AHEAD_DAYS = 14

export const Knowledge = () => {
  const { can } = useSession()
  const search = useSearch({ from: '/signed/knowledge' })
  const navigate = useNavigate()
  const mayEdit = can('manage_knowledge')
  useCommands(
    mayEdit
      ? [
          {
            id: 'new answer',
            label: t`New answer`,
            group: t`Knowledge`,
            keys: 'n',
            icon: Plus,
            run: () =>
              void navigate({ to: '/knowledge/$kind/$itemId', params: { kind: 'answers', itemId: 'new' } }),
          },
          {
            id: 'paste text',
            label: t`Paste help text`,
            group: t`Knowledge`,
            keys: 'p',
            icon: ClipboardPaste,
            run: () => void navigate({ to: '/knowledge/import' }),
          },
          {
            id: 'add website',
            label: t`Add a website`,
            group: t`Knowledge`,
            icon: Globe,
            run: () => void navigate({ to: '/knowledge/website' }),
          },
          {
            id: 'upload files',
            label: t`Upload files`,
            group: t`Knowledge`,
            icon: FileUp,
            run: () => void navigate({ to: '/knowledge/files' }),
          },
        ]
      : [],
  )
  const filter: KnowledgeFilter = {
    search: search.q,
    state: search.state,
    language: search.language,
    reviewBefore: search.review ? dayOf(new Date(Date.now() + REVIEW_AHEAD_DAYS * DAY_MS)) : undefined,
  }
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  return (
    <Page
      title={t`Knowledge`}
      about={t`What the AI agent replies from: saved answers and articles.`}
      actions={
        mayEdit && (
          <>
            <ButtonLink to="/knowledge/unanswered" icon={MessageCircleQuestion}>
              {t`Unanswered questions`}
            </ButtonLink>
            <ButtonLink to="/knowledge/import" icon={ClipboardPaste}>
              {t`Paste help text`}
            </ButtonLink>
            <ButtonLink
              to="/knowledge/$kind/$itemId"
              params={{ kind: 'articles', itemId: 'new' }}
              icon={Plus}
            >
              {t`New article`}
            </ButtonLink>
            <ButtonLink
              to="/knowledge/$kind/$itemId"
              params={{ kind: 'answers', itemId: 'new' }}
              variant="primary"
              icon={Plus}
            >
              {t`New answer`}
            </ButtonLink>
          </>
        )
      }
    >
      <div className="split">
        <div className="stack stack--loose">
          <Filters />
          {KNOWLEDGE_KINDS.filter((kind) => search.kind === undefined || search.kind === kind).map((kind) => (
            <ItemSection key={kind} kind={kind} filter={filter} isFiltered={isFiltered} />
          ))}
          {!isFiltered && search.kind === undefined && <SourceSection />}
        </div>
        <TryQuestion />
      </div>
    </Page>
  )
}

const Filters = () => {
  const {
    q = '',
    kind = '',
    state = '',
    language = '',
    review = false,
  } = useSearch({ from: '/signed/knowledge' })
  const navigate = useNavigate({ from: '/knowledge' })
  const set = (change: Record<string, unknown>): void =>
    void navigate({ search: (known) => ({ ...known, ...change }), replace: true })
  return (
    <div className="toolbar">
      <SearchField
        group={t`Knowledge`}
        label={t`Search answers and articles`}
        placeholder={t`Title or phrasing`}
        value={q}
        onSearch={(text) => set({ q: text || undefined })}
      />
      <Select
        label={t`Kind`}
        isLabelHidden
        value={kind}
        options={[
          { value: '', label: t`All kinds` },
          { value: 'answers', label: t`Answers` },
          { value: 'articles', label: t`Articles` },
        ]}
        onChange={({ target }) => set({ kind: target.value || undefined })}
      />
      <Select
        label={t`State`}
        isLabelHidden
        value={review ? 'review' : state}
        options={[
          { value: '', label: t`All states` },
          { value: 'published', label: t`Published` },
          { value: 'draft', label: t`Drafts` },
          { value: 'review', label: t`Review due` },
        ]}
        onChange={({ target }) =>
          set(
            target.value === 'review'
              ? { state: undefined, review: true }
              : { state: target.value || undefined, review: undefined },
          )
        }
      />
      <Select
        label={t`Language`}
        isLabelHidden
        value={language}
        options={[
          { value: '', label: t`All languages` },
          ...languageCodes(language).map((code) => ({ value: code, label: languageName(code) })),
        ]}
        onChange={({ target }) => set({ language: target.value || undefined })}
      />
    </div>
  )
}
