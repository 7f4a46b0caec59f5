% SPDX-License-Identifier: MIT
% SPDX-FileCopyrightText: The Fovea authors
%
% FoveaDemo([frames], [settings...]): gratings that are sharp around the mouse and foveated elsewhere; a key ends.
%
%     FoveaDemo(Inf, 'foveation.model=physical', 'foveation.geometry.screen_width_m=0.53', 'foveation.geometry.distance_m=0.6')
%
% Stimuli are drawn into an offscreen window, whose texture Fovea foveates in place. FoveaGL.c is to be compiled before.
function FoveaDemo(frames, varargin)
if nargin < 1
    frames = Inf;
end
AssertOpenGL;
InitializeMatlabOpenGL(1);
KbName('UnifyKeyNames');
window = Screen('OpenWindow', max(Screen('Screens')), 128);
[width, height] = Screen('WindowSize', window);
picture = Screen('OpenOffscreenWindow', window, 128);
[x, y] = meshgrid(0:199, 0:199);
gabor = 128 + 127 * sin(x * 2 * pi / 7) .* exp(-((x - 100) .^ 2 + (y - 100) .^ 2) / 3600);
grating = Screen('MakeTexture', window, gabor);
[places_x, places_y] = meshgrid(120:240:width, 120:240:height);
places = CenterRectOnPoint([0 0 200 200], places_x(:), places_y(:))';
try
    Screen('BeginOpenGL', window);
    disp(['OpenGL textures are ' FoveaGL('Open', varargin{:})]);
    Screen('EndOpenGL', window);
    frame = 0;
    while frame < frames && ~KbCheck
        Screen('FillRect', picture, 128);
        Screen('DrawTextures', picture, grating, [], places);
        [texture, target] = Screen('GetOpenGLTexture', window, picture);
        [mouse_x, mouse_y] = GetMouse(window); % or an eye tracker's place, in pixels from the upper left corner
        Screen('BeginOpenGL', window);
        FoveaGL('Foveate', texture, target, mouse_x / width, mouse_y / height);
        Screen('EndOpenGL', window);
        Screen('DrawTexture', window, picture);
        Screen('Flip', window);
        frame = frame + 1;
    end
    Screen('BeginOpenGL', window);
    FoveaGL('Close');
    Screen('EndOpenGL', window);
catch problem
    Screen('CloseAll');
    rethrow(problem);
end
Screen('CloseAll');
end
