import { CircleAlert, Compass } from 'lucide-react'
import { Button, ButtonLink } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

export const NotFound = () => (
  <main className="fill" id="main">
    <EmptyState
      icon={Compass}
      title="Page not found"
      action={
        <ButtonLink to="/inbox" variant="primary">
          Go to inbox
        </ButtonLink>
      }
    >
      It may belong to another workspace.
    </EmptyState>
  </main>
)

/** Shown when a screen fails to load or render. */
export const RouteProblem = ({ error }: { error: unknown }) => (
  <main className="fill" id="main">
    <EmptyState
      icon={CircleAlert}
      title="Something went wrong"
      action={
        <Button variant="primary" onClick={() => location.reload()}>
          Reload
        </Button>
      }
    >
      {error instanceof Error ? error.message : 'We couldn’t show this page.'}
    </EmptyState>
  </main>
)
