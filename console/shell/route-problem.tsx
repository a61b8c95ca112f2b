import { CircleAlert, Compass } from 'lucide-react'
import { useEffect } from 'react'
import { ApiError } from '../state/api.ts'
import { reload, reloadWhenBack } from '../state/load-code.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { t } from '../words/t.ts'

export const NotFound = () => (
  <main className="fill" id="main">
    <EmptyState
      icon={Compass}
      title={t`Page not found`}
      action={
        <ButtonLink to="/inbox" variant="primary">
          {t`Go to inbox`}
        </ButtonLink>
      }
    >
      {t`It may belong to another workspace.`}
    </EmptyState>
  </main>
)

/** Shown when a screen fails to load or render. Without the server, it is opened again when that is back. */
export const RouteProblem = ({ error }: { error: unknown }) => {
  const isOutage = error instanceof ApiError && (error.status === 0 || error.status >= 500)
  useEffect(() => {
    if (isOutage) void reloadWhenBack()
  }, [isOutage])
  return (
    <main className="fill" id="main">
      <EmptyState
        icon={CircleAlert}
        title={isOutage ? t`Can’t reach the server` : t`Something went wrong`}
        action={
          <Button variant="primary" onClick={() => void reload()}>
            {t`Reload`}
          </Button>
        }
      >
        {isOutage
          ? t`Foyer will open when the connection is back.`
          : error instanceof Error
            ? error.message
            : t`We couldn’t show this page.`}
      </EmptyState>
    </main>
  )
}
