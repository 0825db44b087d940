% Build the S-function @name@_sfun and run the test of its numbers.
mex('-R2018a', '@name@_sfun.c', '@name@.c');
