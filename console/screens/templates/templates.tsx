import { Page } from '../../ui/page.tsx'

export const Templates = () => <Page title="Templates">{null}</Page>
