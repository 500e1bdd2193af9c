import { render } from 'preact';
import { loadAbout, takeToken } from './api.ts';
import { startNotifications } from './live/notifications.ts';
import { startLive } from './live/stream.ts';
import { startRoutes } from './route.ts';
import { loadMore } from './screens/load-more.ts';
import { Shell } from './shell.tsx';

takeToken();
startRoutes();
void loadAbout();
startLive();
startNotifications();
const place = document.getElementById('app');
if (place !== null) render(<Shell />, place);
void loadMore();
