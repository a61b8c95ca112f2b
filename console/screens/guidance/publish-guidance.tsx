// Publishes the draft. What its tests say against it is named first and asks for a second click; it never blocks.
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Guidance } from '../../state/ai.ts'
import { type DraftReview, testTitle } from '../../state/ai-tests.ts'
import type { DraftStore } from '../../state/draft-store.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckList } from '../../ui/check-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FormProblem } from '../../ui/field.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { rich, t } from '../../words/t.ts'

const SHOWN_MAX = 10

const PublishGuidance = ({
  store,
  onClose,
  onPublish,
}: {
  store: DraftStore<Guidance>
  onClose: () => void
  onPublish: () => Promise<void>
}) => {
  const api = useApi()
  const [isAsked, setAsked] = useState(false)
  const review = useQuery({
    queryKey: keys.setting(api.workspaceId, 'ai-guidance-review'),
    queryFn: async ({ signal }) => {
      await store.flush()
      return api.get<DraftReview>('/ai-guidance/review', {}, signal)
    },
    gcTime: 0,
    staleTime: 0,
    // If it can't be had, that is no reason against publishing.
    retry: false,
  })
  const publish = useMutation({ mutationFn: onPublish, onSuccess: onClose })
  const isDoubtful = review.data !== undefined && (review.data.worse.length > 0 || review.data.isOutdated)
  return (
    <Dialog
      title={t`Publish this draft?`}
      about={t`The AI agent follows it from its next reply. The version before is kept, and you can go back to it.`}
      isOpen
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button
            variant="primary"
            isBusy={publish.isPending}
            disabled={review.isPending}
            onClick={() => (isDoubtful && !isAsked ? setAsked(true) : publish.mutate())}
          >
            {isAsked ? t`Publish all the same` : t`Publish`}
          </Button>
        </>
      }
    >
      {review.isPending && <Skeleton lines={2} label={t`Looking at the tests`} />}
      {review.data && isDoubtful && <Doubts review={review.data} isAsked={isAsked} />}
      <FormProblem error={publish.error} />
    </Dialog>
  )
}
export default PublishGuidance

const Doubts = ({ review: { worse, isOutdated }, isAsked }: { review: DraftReview; isAsked: boolean }) => (
  <div className="stack stack--tight" role="status">
    {worse.length > 0 && (
      <>
        <h3 className="field__label">{t`Pass live, fail with the draft`}</h3>
        <CheckList
          checks={worse.slice(0, SHOWN_MAX).map(({ name }) => ({
            name: testTitle(name),
            ok: false,
            message: '',
          }))}
        />
        {worse.length > SHOWN_MAX && (
          <p className="text-soft">{rich`And ${worse.length - SHOWN_MAX} more.`}</p>
        )}
      </>
    )}
    {isOutdated && <p>{t`The draft has changed since tests were last run with it.`}</p>}
    <p>
      <Link to="/settings/ai-agent/tests">{t`Go to tests`}</Link>
    </p>
    {isAsked && <p className="text-strong">{t`Publish anyway?`}</p>}
  </div>
)
