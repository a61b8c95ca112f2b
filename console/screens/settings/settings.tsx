import { Page } from '../../ui/page.tsx'

export const Settings = () => <Page title="Settings">{null}</Page>
