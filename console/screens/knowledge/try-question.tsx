// A question as a customer would ask it, and what the AI agent would do without a model.

import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MessageCircleQuestionMark } from 'lucide-react'
import { CHANNELS } from '../../../channels/names.ts'
import type { ApiError } from '../../state/api.ts'
import { type KnowledgeMatch, type KnowledgeMatches, tryQuestion } from '../../state/knowledge.ts'
import { useApi } from '../../state/session.tsx'
import { languageName } from '../../state/templates.ts'
import { Button } from '../../ui/button.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'
import { closenessWords, decisionWords, languageCodes, whyOffered } from './words.ts'

const OFFERED_MAX = 3

type Question = { query: string; channel: string; language: string }

export const TryQuestion = () => {
  const api = useApi()
  const attempt = useMutation<KnowledgeMatches, ApiError, Question>({
    mutationFn: (question) => tryQuestion(api, question),
  })
  return (
    <Section title={t`Try a question`} about={t`See what the AI agent would say. Nothing is sent.`}>
      <div className="stack">
        <Form
          error={attempt.error}
          onSubmit={({ query = '', channel = '', language = '' }) => {
            if (query.trim()) attempt.mutate({ query: query.trim(), channel, language })
          }}
        >
          <TextField
            label={t`Question`}
            name="query"
            maxLength={1_000}
            placeholder={t`e.g. How do I return a mug?`}
          />
          <Disclosure title={t`Who asks`}>
            <Select
              label={t`Channel`}
              name="channel"
              options={[
                { value: '', label: t`Any` },
                ...CHANNELS.map((name) => ({ value: name, label: channelName(name) })),
              ]}
            />
            <Select
              label={t`Language`}
              name="language"
              options={[
                { value: '', label: t`Unknown` },
                ...languageCodes('').map((code) => ({ value: code, label: languageName(code) })),
              ]}
            />
          </Disclosure>
          <div>
            <Button type="submit" icon={MessageCircleQuestionMark} isBusy={attempt.isPending}>
              {t`Ask`}
            </Button>
          </div>
        </Form>
        <div role="status" className="stack">
          {attempt.data && !attempt.isPending && <Outcome result={attempt.data} />}
        </div>
      </div>
    </Section>
  )
}

const Outcome = ({ result }: { result: KnowledgeMatches }) => {
  const { decision, matches } = result
  const shown = decision === 'say' ? matches.slice(0, 1) : matches.slice(0, OFFERED_MAX)
  return (
    <>
      <p className="text-strong">{decisionWords(result)}</p>
      {decision === 'say' && (
        <p className="knowledge-said user-text" dir="auto">
          {matches[0]?.text}
        </p>
      )}
      {decision === 'nothing' && shown.length > 0 && (
        <p className="text-soft text-small">{t`The nearest:`}</p>
      )}
      <ul className="stack stack--tight">
        {shown.map((match) => (
          <Match key={match.id} match={match} />
        ))}
      </ul>
    </>
  )
}

const Match = ({ match }: { match: KnowledgeMatch }) => (
  <li>
    <Link
      to="/knowledge/$kind/$itemId"
      params={{ kind: match.type === 'answer' ? 'answers' : 'articles', itemId: match.id }}
    >
      <bdi>{match.title}</bdi>
    </Link>
    <span className="text-soft text-small">
      {' '}
      {[closenessWords(match.certainty), whyOffered(match)].filter(Boolean).join(' · ')}
    </span>
  </li>
)
