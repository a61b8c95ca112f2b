// What customers asked and the AI agent had no reply to: each kind becomes an answer or is dismissed.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { agoOf } from '../../state/dates.ts'
import { closeGap, type Gap, gapsChanged, gapsQuery } from '../../state/gaps.ts'
import { useApi } from '../../state/session.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'

export const Gaps = () => {
  const api = useApi()
  const { data: gaps, error, refetch } = useQuery(gapsQuery(api))
  return (
    <Page
      isNarrow
      title={t`Unanswered questions`}
      about={t`What customers asked and the AI agent had no reply to, by kind. Personal data is hidden.`}
      back={<BackLink to="/knowledge">{t`Knowledge`}</BackLink>}
    >
      {error && !gaps ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !gaps ? (
        <SkeletonRows rows={4} />
      ) : gaps.length === 0 ? (
        <EmptyState icon={CircleCheck} title={t`No unanswered questions`}>
          {t`Questions that the AI agent hands over because it has no reply will appear here.`}
        </EmptyState>
      ) : (
        gaps.map((gap) => <GapSection key={gap.turnIds[0]} gap={gap} />)
      )}
    </Page>
  )
}

const GapSection = ({ gap }: { gap: Gap }) => {
  const api = useApi()
  const client = useQueryClient()
  const { turnIds, count, firstAt, lastAt, questions, reply } = gap
  const dismiss = useMutation({
    mutationFn: () => closeGap(api, { turnIds, answerId: null }),
    onSuccess: async () => {
      toast(t`Dismissed`)
      await gapsChanged(client, api.workspaceId)
    },
    onError: toastError,
  })
  const [first = '', ...others] = questions
  const times = count === 1 ? t`Asked ${agoOf(lastAt)}` : t`Asked ${count} times, last ${agoOf(lastAt)}`
  return (
    <Section
      title={<bdi>{first}</bdi>}
      about={count === 1 ? times : t`${times}, first ${agoOf(firstAt)}`}
      actions={
        <span className="row row--wrap">
          <Button isBusy={dismiss.isPending} onClick={() => dismiss.mutate()}>
            {t`Dismiss`}
          </Button>
          <ButtonLink
            to="/knowledge/$kind/$itemId"
            params={{ kind: 'answers', itemId: 'new' }}
            search={{ gap: turnIds[0]! }}
            variant="primary"
          >
            {t`Write answer`}
          </ButtonLink>
        </span>
      }
    >
      {others.length > 0 && (
        <ul className="stack stack--tight">
          {others.map((question) => (
            <li key={question} className="user-text" dir="auto">
              {question}
            </li>
          ))}
        </ul>
      )}
      {reply !== null && (
        <p className="text-soft user-text" dir="auto">
          {rich`Your team replied: ${reply}`}
        </p>
      )}
    </Section>
  )
}
