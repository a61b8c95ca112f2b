import { CircleAlert, Compass } from 'lucide-react'
import { Button, ButtonLink } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

export const NotFound = () => (
  <main className="fill" id="main">
    <EmptyState
      icon={Compass}
      title="There is nothing at this address"
      action={
        <ButtonLink to="/inbox" variant="primary">
          Go to the inbox
        </ButtonLink>
      }
    >
      The link may be old, or what it led to may be in another workspace.
    </EmptyState>
  </main>
)

/** Something broke while a screen was drawn or loaded. */
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
      {error instanceof Error ? error.message : 'This screen could not be shown.'}
    </EmptyState>
  </main>
)
