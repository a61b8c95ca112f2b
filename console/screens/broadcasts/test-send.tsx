// Sending the message to a few people first.
import { FlaskConical } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { RichTemplate } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { t } from '../../words/t.ts'
import type { Draft } from './draft.ts'

const TestDialog = lazy(() => import('./test-dialog.tsx').then(({ TestDialog }) => ({ default: TestDialog })))

export const TestSend = ({
  draft,
  template,
  parameters,
  isReady,
}: {
  draft: Draft
  template: RichTemplate
  /** As shown: of a row, or for everyone. */
  parameters: readonly string[]
  isReady: boolean
}) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <div>
        <Button icon={FlaskConical} disabled={!isReady} onClick={() => setOpen(true)}>
          {t`Send a test`}
        </Button>
      </div>
      <Suspense>
        {isOpen && (
          <TestDialog
            draft={draft}
            template={template}
            parameters={parameters}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </>
  )
}
