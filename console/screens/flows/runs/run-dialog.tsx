// One run: what it did, step by step, and how it ended.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { flowsChanged, runQuery } from '../../../state/flows.ts'
import { useSession } from '../../../state/session.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { toastError } from '../../../ui/toast.tsx'
import { t } from '../../../words/t.ts'
import FlowRun from '../../inbox/flow-run.tsx'

const RunDialog = ({ runId, onClose }: { runId: string; onClose: () => void }) => {
  const { api, can } = useSession()
  const client = useQueryClient()
  const { data } = useQuery(runQuery(api, runId))
  const cancel = useMutation({
    mutationFn: () => api.post(`/flow-runs/${runId}/cancel`),
    onSuccess: () => flowsChanged(client, api.workspaceId),
    onError: toastError,
  })
  const run = data?.run
  return (
    <Dialog
      title={run ? t`Run of ${run.flowName}` : t`Run`}
      isOpen
      isWide
      onClose={onClose}
      foot={
        run && (
          <>
            {run.status === 'running' && can('manage_automation') && (
              <Button isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
                {t`Cancel run`}
              </Button>
            )}
            {run.conversationId !== null && (
              <ButtonLink
                to="/inbox/$view/$conversationId"
                params={{ view: 'all', conversationId: run.conversationId }}
              >
                {t`Open conversation`}
              </ButtonLink>
            )}
          </>
        )
      }
    >
      <FlowRun runId={runId} />
    </Dialog>
  )
}
export default RunDialog
